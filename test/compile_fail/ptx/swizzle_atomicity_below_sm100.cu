// The atomicity of swizzling does not exist before sm_100.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs sm_100
// ARCHS: 90a
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::tensormap_replace_swizzle_atomicity(ptx::space_global, map, ptx::n32_t<1>{});
#else
  ptx::tensormap_replace_swizzle_mode(ptx::space_global, map, ptx::n32_t<1>{});
#endif
}
