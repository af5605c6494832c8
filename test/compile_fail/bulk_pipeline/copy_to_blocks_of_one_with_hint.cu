// Copies to several blocks need a ring that all of them release, with a cache hint as without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::copy_to_blocks needs the number of blocks in the cluster as the third template argument
// ARCHS: 90a
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy_to_blocks(at, tile, source, cuda::aligned_size_t<16>(1024), 3, cudasync::l2_cache_hint::evict_last());
}
#else
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

__device__ void copy(ring& pipe, ring::producer_state at, void* tile, const void* source) {
  pipe.copy_to_blocks(at, tile, source, cuda::aligned_size_t<16>(1024), 3, cudasync::l2_cache_hint::evict_last());
}
#endif
