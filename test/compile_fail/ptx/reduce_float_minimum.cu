// cp.reduce.async.bulk has no minimum of float.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cp_reduce_async_bulk has no such operation on this type in global memory: it adds integers
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(float* place, const float* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, place, source, 16);
#else
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, place, source, 16);
#endif
}
