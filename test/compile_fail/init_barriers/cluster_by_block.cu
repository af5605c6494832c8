// The other blocks wait until a cluster's barrier is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: init_barriers: threads of other blocks arrive at a cluster's barrier, and must not arrive before it is initialized; pass this_cluster\(\)
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void set_up(barrier_of_cluster& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
#else
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<1>(bar));
#endif
}
