// A failed compare-exchange stores nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a failed compare-exchange stores nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst on failure
#include <cuda/atomic>

__device__ bool use(int& expected, cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_acq_rel, cuda::memory_order_acq_rel);
#else
  return counter.compare_exchange_strong(expected, 1, cuda::memory_order_acq_rel, cuda::memory_order_acquire);
#endif
}
