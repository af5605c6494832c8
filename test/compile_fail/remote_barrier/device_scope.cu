// A device's barrier lies in memory that all blocks reach.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier needs barrier<thread_scope_cluster>: a barrier of block scope orders nothing between blocks
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

__device__ void arrive([[maybe_unused]] cuda::barrier<cuda::thread_scope_device>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::remote_barrier(bar, 1).arrive();
#else
  static_cast<void>(bar.arrive());
#endif
}
