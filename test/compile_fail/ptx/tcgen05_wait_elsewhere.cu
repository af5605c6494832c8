// Only sm_100a, sm_103a, sm_110a and their families have tcgen05.wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
// ARCHS: 90a 120
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use() {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::tcgen05_wait_ld();
#else
  __syncwarp();
#endif
}
