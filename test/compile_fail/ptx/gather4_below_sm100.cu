// Copies of four rows do not exist before sm_100.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs sm_100: compile with -arch=sm_100 or newer
// ARCHS: 90
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* tile, const void* map, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, tile, map, {0, 1, 3, 5, 7}, bar);
#else
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, {0, 1}, bar);
#endif
}
