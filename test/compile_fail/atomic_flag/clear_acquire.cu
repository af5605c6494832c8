// Clearing a flag acquires nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a store has nothing to acquire: use memory_order_relaxed, memory_order_release or memory_order_seq_cst
#include <cuda/atomic>

__device__ void use(cuda::atomic_flag& flag) {
#if defined(CUDASYNC_EXPECT_ERROR)
  flag.clear(cuda::memory_order_acquire);
#else
  flag.clear(cuda::memory_order_release);
#endif
}
