// tcgen05.commit releases a stage, and not the thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::consumer_release: the reads of tensor cores may be under way; call consumer_commit
// ARCHS: 100a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma>;

__device__ void misuse(ring& pipe, ring::consumer_state& at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.consumer_release(at);
#else
  pipe.consumer_commit(at);
#endif
}
