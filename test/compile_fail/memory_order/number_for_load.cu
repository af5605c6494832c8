// A number is no order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: the order of an atomic operation is a cuda::memory_order
#include <cuda/atomic>

__device__ int use(cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return counter.load(2);
#else
  return counter.load(cuda::memory_order_acquire);
#endif
}
