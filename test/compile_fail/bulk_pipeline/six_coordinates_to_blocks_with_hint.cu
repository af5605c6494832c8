// A tensor has five dimensions at most, for several blocks and with a cache hint as else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates
// ARCHS: 90a
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy_to_blocks(at, tile, map, {0, 0, 0, 0, 0, 0}, 3, cudasync::l2_cache_hint::evict_last());
#else
  pipe.copy_to_blocks(at, tile, map, {0, 0, 0, 0, 0}, 3, cudasync::l2_cache_hint::evict_last());
#endif
}
