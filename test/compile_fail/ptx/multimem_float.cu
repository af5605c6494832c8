// cuda::ptx has no multimem operations on float.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: multimem has no such operation on this type: cuda::ptx adds, or takes the minimum or the maximum of, integers
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(int* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::multimem_red(ptx::sem_relaxed, ptx::scope_sys, ptx::op_add, reinterpret_cast<float*>(place), 1.0F);
#else
  ptx::multimem_red(ptx::sem_relaxed, ptx::scope_sys, ptx::op_add, place, 1);
#endif
}
