// The copy engine moves 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.acquire_and_copy(at, tile, source, cuda::aligned_size_t<8>(1024));
#else
  pipe.acquire_and_copy(at, tile, source, cuda::aligned_size_t<16>(1024));
#endif
}
