// A number is no order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: the order of an atomic operation is a cuda::memory_order
#include <cuda/atomic>

__device__ bool use(int& expected, cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed, 0);
#else
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_relaxed, cuda::memory_order_relaxed);
#endif
}
