// Reading a flag releases nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
#include <cuda/atomic>

__device__ bool use(cuda::atomic_flag& flag) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return flag.test(cuda::memory_order_release);
#else
  return flag.test(cuda::memory_order_acquire);
#endif
}
