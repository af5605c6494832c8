// A copy to both blocks of a cluster, of which one waits. Its part may come first: each block has a barrier of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void multicast_awaited_by_one(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
    arrive_and_expect(&bar, sizeof tile);
  }
  cluster_sync();
  if (block_rank() == 0 && threadIdx.x == 0) bulk_load_to_blocks(tile, data, sizeof tile, &bar, 3);  // reported
  if (block_rank() == 0) wait(&bar, 0);                                                              // wrong
  // right: wait(&bar, 0);
  cluster_sync();
  data[64 + 32 * block_rank() + threadIdx.x] = tile[threadIdx.x];  // reported
}

int main() {
  return launch(multicast_awaited_by_one, 2, 32, 2);
}
