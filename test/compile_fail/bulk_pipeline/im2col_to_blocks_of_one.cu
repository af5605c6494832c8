// A ring that does not know of the other blocks cannot share copies with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;
#else
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;
#endif

__device__ void copy(ring& pipe, ring::producer_state at, void* pixels, const CUtensorMap* map) {
  pipe.copy_im2col_to_blocks(at, pixels, map, {0, 7, 7, 1}, {1, 2}, 3);
}
