// st.bulk does not exist before sm_100.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs sm_100: compile with -arch=sm_100 or newer
// ARCHS: 80 90 90a
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(cuda::std::uint64_t* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::st_bulk(place, 8, ptx::n32_t<0>{});
#else
  *place = 0;
#endif
}
