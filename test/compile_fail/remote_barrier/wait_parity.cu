// Nobody can wait for a barrier of another block, by parity neither.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"wait_parity\"|has no member named .wait_parity.
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void meet([[maybe_unused]] barrier_of_cluster& bar, [[maybe_unused]] cudasync::remote_barrier there) {
#if defined(CUDASYNC_EXPECT_ERROR)
  there.wait_parity(false);
#else
  bar.wait_parity(false);
#endif
}
