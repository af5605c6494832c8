// tensormap.replace needs a target with a or f.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: tensormap.replace needs the target of one architecture or family: compile with -arch=sm_90a, sm_100a, sm_103a, sm_110a, sm_120a or sm_121a, or sm_100f to sm_121f
// ARCHS: 90 100
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::tensormap_replace_rank(ptx::space_global, map, 1);
#else
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
#endif
}
