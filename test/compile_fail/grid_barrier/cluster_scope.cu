// A cluster has a barrier in hardware.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: grid_barrier: blocks meet at device scope, or at system scope with other GPUs and the host; for a cluster use cluster_barrier
#include <cudasync/grid_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_cluster>;
#else
using blocks_meet = cudasync::grid_barrier<cudasync::thread_scope_device>;
#endif

__device__ void meet(blocks_meet& bar) {
  bar.arrive_and_wait();
}
