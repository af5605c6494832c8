// Only targets with tcgen05 have copies for pairs of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
// ARCHS: 90a 100 120a
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(void* tile, const void* map, cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, ptx::cta_group_2, tile, map, {0, 1}, bar);
#else
  ptx::cp_async_bulk_tensor(ptx::space_shared, ptx::space_global, tile, map, {0, 1}, bar);
#endif
}
