// A tensor map has 128 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a tensor map has 128 bytes: pass n32_t<128>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<64>{});
#else
  ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
#endif
}
