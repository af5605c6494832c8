// Waiting reads alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
#include <cuda/atomic>

__device__ int use(cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return counter.wait([](int value) { return value > 0; }, cuda::memory_order_acq_rel);
#else
  return counter.wait([](int value) { return value > 0; }, cuda::memory_order_acquire);
#endif
}
