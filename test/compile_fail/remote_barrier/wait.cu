// Nobody can wait for a barrier of another block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"wait\"|has no member named .wait.
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void meet([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
#if defined(CUDASYNC_EXPECT_ERROR)
  there.wait(bar.arrive());
#else
  bar.wait(bar.arrive());
#endif
}
