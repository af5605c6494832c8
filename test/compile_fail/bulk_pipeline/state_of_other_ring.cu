// A state counts the stages of its own ring.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cannot be called with the given argument list
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;
using longer_ring = cudasync::bulk_pipeline<5, cudasync::consumer_warps<2>>;

__device__ void misuse(ring& pipe, [[maybe_unused]] longer_ring::consumer_state other,
                       [[maybe_unused]] ring::consumer_state at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.consumer_wait(other);
#else
  pipe.consumer_wait(at);
#endif
}
