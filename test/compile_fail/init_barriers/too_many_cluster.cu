// A cluster's barrier counts to 2^20 - 1, as an mbarrier does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void set_up(barrier_of_cluster& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<(1 << 20)>(bar));
#else
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<(1 << 20) - 1>(bar));
#endif
}
