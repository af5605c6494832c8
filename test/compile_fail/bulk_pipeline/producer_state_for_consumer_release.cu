// The rounds of the two sides are not in step, and hence their states are of different types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cannot be called with the given argument list
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__device__ void misuse(ring& pipe, [[maybe_unused]] ring::producer_state producer,
                       [[maybe_unused]] ring::consumer_state consumer) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.consumer_release(producer);
#else
  pipe.consumer_release(consumer);
#endif
}
