// A thread waits for the arrival of another block in its cluster, and acquires with the scope of its own block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void block_scope_in_cluster(int* data) {
  __shared__ mbarrier bar;
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
  }
  cluster_sync();
  if (block_rank() == 0) {
    data[0] = 42;  // reported
    arrive_remotely(&bar, 1);
  } else {
    wait(&bar, 0);  // wrong
    // right: wait_for_cluster(&bar, 0);
    data[1] = data[0];  // reported
  }
  cluster_sync();
}

int main() {
  return launch(block_scope_in_cluster, 2, 1, 2);
}
