// A number is no order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: the order of an atomic operation is a cuda::memory_order
#include <cuda/atomic>

__device__ void use(cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  counter.store(1, 3);
#else
  counter.store(1, cuda::memory_order_release);
#endif
}
