// consumer_commit goes to the next stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member "advance"
// ARCHS: 90a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warpgroups<2>>;

__device__ void misuse(ring& pipe, ring::consumer_state& at) {
  pipe.consumer_commit(at);
#if defined(CUDASYNC_EXPECT_ERROR)
  at.advance();
#else
  at.skip(1);
#endif
}
