// A tensor map has 128 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a tensor map has 128 bytes: pass n32_t<128>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* map, const void* copy) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, copy, ptx::n32_t<64>{});
#else
  ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, copy, ptx::n32_t<128>{});
#endif
}
