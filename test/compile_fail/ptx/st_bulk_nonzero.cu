// st.bulk stores only zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: st_bulk stores only zeros: pass n32_t<0>
// ARCHS: 100
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::st_bulk(place, 8, ptx::n32_t<1>{});
#else
  ptx::st_bulk(place, 8, ptx::n32_t<0>{});
#endif
}
