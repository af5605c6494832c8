// Before sm_90 a block has nobody to stay alive for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

__device__ void stay() {
#if defined(CUDASYNC_EXPECT_ERROR)
  const cudasync::cluster_exit_guard guard;
#else
  __syncthreads();
#endif
}
