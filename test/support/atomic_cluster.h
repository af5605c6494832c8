// Clusters, and the shared memory of their blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_ATOMIC_CLUSTER_H
#define CUDASYNC_TEST_SUPPORT_ATOMIC_CLUSTER_H

#include "gpu_test.h"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cluster_memory {

constexpr unsigned blocks = 4, threads = 64;
constexpr cuda::thread_scope cluster_scope = cuda::thread_scope_cluster;
constexpr cuda::thread_scope system_scope = cuda::thread_scope_system;

inline gpu_test::shape in_clusters(unsigned clusters = 8) {
  gpu_test::shape how{clusters * blocks, threads};
  how.cluster = blocks;
  return how;
}

// The same variable of another block. The pointer is a generic one into that block's shared memory.
template <class Value>
__device__ Value& of_block(Value& own, unsigned rank) {
  return *cooperative_groups::this_cluster().map_shared_rank(&own, static_cast<int>(rank % blocks));
}
__device__ inline unsigned rank_in_cluster() {
  return cooperative_groups::this_cluster().block_rank();
}
__device__ inline void sync_cluster() {
  cooperative_groups::this_cluster().sync();
}

}  // namespace cluster_memory

#endif
