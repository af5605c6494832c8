// One cluster's barrier among those of the block is enough to need the cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: init_barriers: threads of other blocks arrive at a cluster's barrier, and must not arrive before it is initialized; pass this_cluster\(\)
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& own, barrier_of_cluster (&bars)[2]) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(own), cudasync::expects(bars, 2));
#else
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(own), cudasync::expects(bars, 2));
#endif
}
