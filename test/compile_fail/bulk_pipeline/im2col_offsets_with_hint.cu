// A map of lines has one offset, with a cache hint as without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy_im2col: a map of N, W and C takes 3 coordinates and 1 offset, one with H as well 4 and 2, one with H and D 5 and 3; give as many
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* pixels, const CUtensorMap* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy_im2col(at, pixels, map, {0, 7, 1}, {1, 2}, cudasync::l2_cache_hint::evict_last());
#else
  pipe.copy_im2col(at, pixels, map, {0, 7, 1}, {1}, cudasync::l2_cache_hint::evict_last());
#endif
}
