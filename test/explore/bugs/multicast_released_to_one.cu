// Both blocks of a cluster get a copy, and each releases its stage to itself: the one that loads does not know of the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race missing-fence
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void multicast_released_to_one(int* data) {
  __shared__ alignas(16) int tile[32];
  __shared__ mbarrier full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 32);  // wrong
    // right: init(&empty, 64);
    fence_init();
  }
  cluster_sync();
  int sum = 0;
  for (int step = 0; step < 3; ++step) {
    if (threadIdx.x == 32) {
      if (step != 0 && block_rank() == 0) wait_for_cluster(&empty, (step - 1) % 2);
      if (step != 0 && block_rank() != 0) wait(&full, (step - 1) % 2);
      arrive_and_expect(&full, sizeof tile);
      if (block_rank() == 0) bulk_load_to_blocks(tile, data + 32 * step, sizeof tile, &full, 3);  // reported
    } else if (threadIdx.x < 32) {
      wait(&full, step % 2);          // reported
      sum += tile[31 - threadIdx.x];  // reported
      fence_async();
      arrive(&empty);  // wrong
      // right: arrive_remotely(&empty, 0);
    }
  }
  if (threadIdx.x < 32) data[128 + 32 * block_rank() + threadIdx.x] = sum;
  cluster_sync();
}

int main() {
  return launch(multicast_released_to_one, 2, 64, 2);
}
