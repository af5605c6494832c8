// In shared memory cp.reduce.async.bulk has no minimum of 8 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cp_reduce_async_bulk has no such operation on this type in shared memory: .* reduce to space_global
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(cuda::std::uint64_t* place, const cuda::std::uint64_t* source, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_min, place, source, 16, bar);
#else
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, place, source, 16);
#endif
}
