// A copy to both blocks of a cluster. Each block gets the whole tile, and one of them expects half of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void multicast_bytes(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
    arrive_and_expect(&bar, sizeof tile / 2);  // wrong
    // right: arrive_and_expect(&bar, sizeof tile);
  }
  cluster_sync();
  if (block_rank() == 0 && threadIdx.x == 0) bulk_load_to_blocks(tile, data, sizeof tile, &bar, 3);
  wait(&bar, 0);  // reported
  data[64 + 32 * block_rank() + threadIdx.x] = tile[31 - threadIdx.x];
  cluster_sync();
}

int main() {
  return launch(multicast_bytes, 2, 32, 2);
}
