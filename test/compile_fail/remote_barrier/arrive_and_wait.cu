// Who arrives in another block waits in its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"arrive_and_wait\"|has no member named .arrive_and_wait.
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void meet([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
#if defined(CUDASYNC_EXPECT_ERROR)
  there.arrive_and_wait();
#else
  there.arrive();
  bar.arrive_and_wait();
#endif
}
