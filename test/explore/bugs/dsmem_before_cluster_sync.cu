// A block reads the shared memory of its neighbor in the cluster, which may not have written it yet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cooperative_groups.h>

extern "C" __global__ void dsmem_before_cluster_sync(int* data) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ int part[32];
  part[threadIdx.x] = static_cast<int>(cluster.block_rank());  // reported
  __syncthreads();                                             // wrong
  // right: cluster.sync();
  const int* const theirs = cluster.map_shared_rank(part, cluster.block_rank() ^ 1);
  data[cluster.thread_rank()] = theirs[threadIdx.x];  // reported
  cluster.sync();
}

int main() {
  return launch(dsmem_before_cluster_sync, 2, 32, 2);
}
