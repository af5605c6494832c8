// A store does not acquire.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: multimem_st is relaxed or releases: use sem_relaxed or sem_release, or sem_weak without a scope
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::multimem_st(ptx::sem_acquire, ptx::scope_sys, place, 1);
#else
  ptx::multimem_st(ptx::sem_release, ptx::scope_sys, place, 1);
#endif
}
