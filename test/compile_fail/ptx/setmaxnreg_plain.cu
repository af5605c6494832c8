// setmaxnreg needs a target with a or f.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: setmaxnreg needs the target of one architecture or family: compile with -arch=sm_90a, sm_100a, sm_120a
// ARCHS: 90 100 120
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use() {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::setmaxnreg_dec(ptx::n32_t<40>{});
#else
  __syncwarp();
#endif
}
