// Barriers stay where they are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void misuse(ring& pipe) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ring other = pipe;
  other.init(cudasync::this_thread_block());
#else
  ring& other = pipe;
  other.init(cudasync::this_thread_block());
#endif
}
