// No barrier has cluster scope yet, and none takes it for another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no barrier has cluster scope yet: use thread_scope_block in one block, thread_scope_device across blocks
#include <cuda/barrier>

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[];
#else
  extern __shared__ cuda::barrier<cuda::thread_scope_block> bars[];
#endif
  bars[0].arrive_and_wait();
}
