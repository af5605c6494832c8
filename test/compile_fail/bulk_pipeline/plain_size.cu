// A plain size promises no alignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy needs a size that is a multiple of 16 bytes, as aligned_size_t<16>.bytes.
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy(at, tile, source, 1024);
#else
  pipe.copy(at, tile, source, cuda::aligned_size_t<16>(1024));
#endif
}
