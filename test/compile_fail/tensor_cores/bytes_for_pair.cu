// The bytes of a copy without a tensor map complete in the block that they are copied to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy of bytes cannot complete in the other block of a pair; copy boxes of a tensor map
// ARCHS: 100a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;

__device__ void misuse(ring& pipe, ring::producer_state at, float* stage, [[maybe_unused]] const CUtensorMap* map,
                       [[maybe_unused]] const float* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy(at, stage, source, cuda::aligned_size_t<16>(1024));
#else
  pipe.copy(at, stage, map, {0, 0});
#endif
}
