// Boxes for several blocks need a ring that all of them release.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument
// ARCHS: 90a
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
  pipe.copy_to_blocks(at, tile, map, {0, 0}, 3);
}
#else
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
  pipe.copy_to_blocks(at, tile, map, {0, 0}, 3);
}
#endif
