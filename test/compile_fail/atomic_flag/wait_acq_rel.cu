// Waiting for a flag reads alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
#include <cuda/atomic>

__device__ void use(cuda::atomic_flag& flag) {
#if defined(CUDASYNC_EXPECT_ERROR)
  flag.wait(false, cuda::memory_order_acq_rel);
#else
  flag.wait(false, cuda::memory_order_acquire);
#endif
}
