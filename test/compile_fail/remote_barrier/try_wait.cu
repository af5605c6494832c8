// Nobody can ask whether a barrier of another block has completed its phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"try_wait\"|has no member named .try_wait.
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void meet([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
#if defined(CUDASYNC_EXPECT_ERROR)
  while (!there.try_wait(bar.arrive())) {
  }
#else
  while (!bar.try_wait(bar.arrive())) {
  }
#endif
}
