// Before sm_90 there are no clusters whose threads could meet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier<thread_scope_cluster> needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[];
#else
  extern __shared__ cuda::barrier<cuda::thread_scope_block> bars[];
#endif
  bars[0].arrive_and_wait();
}
