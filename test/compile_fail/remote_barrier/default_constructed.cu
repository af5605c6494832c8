// A handle is that of a barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no default constructor exists|no matching function
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void arrive([[maybe_unused]] barrier_of_cluster& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  const cudasync::remote_barrier there;
  there.arrive();
#else
  const cudasync::remote_barrier there(bar, 1);
  there.arrive();
#endif
}
