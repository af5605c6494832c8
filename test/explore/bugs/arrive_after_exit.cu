// A block arrives at the barrier of its neighbor, which may have ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race ended-block
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void arrive_after_exit(int* data) {
  __shared__ mbarrier bar;
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
  }
  cluster_sync();
  data[block_rank()] = 1;
  if (block_rank() == 0) arrive_remotely(&bar, 1);  // reported
  // right: cluster_sync();
}

int main() {
  return launch(arrive_after_exit, 2, 1, 2);
}
