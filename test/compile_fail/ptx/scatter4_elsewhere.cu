// Only targets with tcgen05 have stores of four rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
// ARCHS: 100 120a
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(const void* map, const void* tile) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_async_bulk_tensor_tile_scatter4(ptx::space_global, ptx::space_shared, map, {0, 1, 3, 5, 7}, tile);
#else
  ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, {0, 1}, tile);
#endif
}
