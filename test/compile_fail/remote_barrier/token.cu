// An arrival in another block returns no token, since nobody could wait with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a value of type \"void\"|void value
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void arrive([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
#if defined(CUDASYNC_EXPECT_ERROR)
  barrier_of_cluster::arrival_token token = there.arrive();
#else
  barrier_of_cluster::arrival_token token = bar.arrive();
#endif
  static_cast<void>(token);
}
