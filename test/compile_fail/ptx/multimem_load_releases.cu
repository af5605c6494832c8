// A load does not release.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: multimem_ld_reduce is relaxed or acquires: use sem_relaxed or sem_acquire, or sem_weak without a scope
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  *place = ptx::multimem_ld_reduce(ptx::sem_release, ptx::scope_sys, ptx::op_add, place);
#else
  *place = ptx::multimem_ld_reduce(ptx::sem_acquire, ptx::scope_sys, ptx::op_add, place);
#endif
}
