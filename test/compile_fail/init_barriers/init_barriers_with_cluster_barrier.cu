// Misuse with <cuda/barrier>, <cudasync/cluster_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

// misuse: cluster_among_others_by_block
// One cluster's barrier among those of the block is enough to need the cluster.
// ERROR: init_barriers: threads of other blocks arrive at a cluster's barrier, and must not arrive before it is initialized; pass this_cluster\(\)
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void set_up(block_barrier& own, barrier_of_cluster (&bars)[2]) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(own), cudasync::expects(bars, 2));
#else
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(own), cudasync::expects(bars, 2));
#endif
}

// common:
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void set_up(barrier_of_cluster& bar) {
  // misuse: cluster_by_block
  // The other blocks wait until a cluster's barrier is there.
  // ERROR: init_barriers: threads of other blocks arrive at a cluster's barrier, and must not arrive before it is initialized; pass this_cluster\(\)
  // COMPILERS: nvrtc nvcc
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));  // wrong
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bar));       // right

  // misuse: too_many_cluster
  // A cluster's barrier counts to 2^20 - 1, as an mbarrier does.
  // ERROR: expects<n>\(bar\): more arrivals than the barrier can count
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<(1 << 20)>(bar));      // wrong
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<(1 << 20) - 1>(bar));  // right
}
