// Each block of a pair copies its part.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy_to_blocks: each block of a pair copies its own part of a stage; call copy
// ARCHS: 100a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;

__device__ void misuse(ring& pipe, ring::producer_state at, float* stage, const CUtensorMap* map) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy_to_blocks(at, stage, map, {0, 0}, 3);
#else
  pipe.copy(at, stage, map, {0, 0});
#endif
}
