// Copies of pixels for a pair have no cache hint.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy_im2col for a pair of blocks takes no l2_cache_hint; leave it out
// ARCHS: 100a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;

__device__ void misuse(ring& pipe, ring::producer_state at, float* stage, const CUtensorMap* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy_im2col(at, stage, map, {0, 7, 7, 1}, {1, 2}, cudasync::l2_cache_hint::evict_first());
#else
  pipe.copy_im2col(at, stage, map, {0, 7, 7, 1}, {1, 2});
#endif
}
