// A tensor has five dimensions at most.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy: a tensor map has 1 to 5 dimensions; give as many coordinates
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const CUtensorMap* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy(at, tile, map, {0, 0, 0, 0, 0, 0});
#else
  pipe.copy(at, tile, map, {0, 0, 0, 0, 0});
#endif
}
