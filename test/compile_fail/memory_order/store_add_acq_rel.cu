// An addition without a result acquires nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
#include <cuda/atomic>

__device__ void use(cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  counter.store_add(1, cuda::memory_order_acq_rel);
#else
  counter.store_add(1, cuda::memory_order_release);
#endif
}
