// A number is no order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: the order of a fence is a cuda::memory_order
#include <cuda/atomic>

__device__ void use() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::atomic_thread_fence(2);
#else
  cuda::atomic_thread_fence(cuda::memory_order_acquire);
#endif
}
