// Warps have read a stage when they release it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::consumer_commit is for tensor cores, which are still reading when their instructions have returned; call consumer_release, or let consumer_warpgroups<n> consume the stages
// ARCHS: 90a
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<8>>;

__device__ void misuse(ring& pipe, ring::consumer_state& at) {
  pipe.consumer_commit(at);   // wrong
  pipe.consumer_release(at);  // right
}
