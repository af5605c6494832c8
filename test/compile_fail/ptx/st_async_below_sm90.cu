// st.async does not exist before sm_90.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs sm_90: compile with -arch=sm_90 or newer
// ARCHS: 75 80
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::st_async(place, 1, bar);
#else
  *place = 1;
#endif
}
