// A number is no order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: the order of an atomic operation is a cuda::memory_order
#include <cuda/atomic>

__device__ int use(cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return counter.fetch_add(1, 0);
#else
  return counter.fetch_add(1, cuda::memory_order_relaxed);
#endif
}
