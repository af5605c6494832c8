// A reduction does not acquire.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: multimem_red is relaxed or releases: use sem_relaxed or sem_release
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::multimem_red(ptx::sem_acquire, ptx::scope_sys, ptx::op_add, place, 1);
#else
  ptx::multimem_red(ptx::sem_release, ptx::scope_sys, ptx::op_add, place, 1);
#endif
}
