// What is const is not written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (no instance of|is incompatible with parameter)
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, [[maybe_unused]] const void* read_only,
                     [[maybe_unused]] void* tile, const void* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.copy(at, read_only, source, cuda::aligned_size_t<16>(1024));
#else
  pipe.copy(at, tile, source, cuda::aligned_size_t<16>(1024));
#endif
}
