// A block ends while its neighbor in the cluster still reads its shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race ended-block
#include "launch.h"

#include <cooperative_groups.h>

extern "C" __global__ void dsmem_after_exit(int* data) {
  const auto cluster = cooperative_groups::this_cluster();
  __shared__ int part[32];
  part[threadIdx.x] = static_cast<int>(cluster.block_rank());
  cluster.sync();
  if (cluster.block_rank() == 0) {
    const int* const theirs = cluster.map_shared_rank(part, 1);
    data[cluster.thread_rank()] = theirs[threadIdx.x];  // reported
  }
  // right: cluster.sync();
}

int main() {
  return launch(dsmem_after_exit, 2, 32, 2);
}
