// A block copies to its neighbor's barrier, which the neighbor may not have initialized.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: missing-fence data-race hang
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void missing_cluster_sync(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);  // reported
    fence_init();
    arrive_and_expect(&bar, sizeof tile);  // reported
  }
  __syncthreads();  // wrong
  // right: cluster_sync();
  if (block_rank() == 0 && threadIdx.x == 0) bulk_load_to_blocks(tile, data, sizeof tile, &bar, 3);  // reported
  wait(&bar, 0);                                                                                     // reported
  data[64 + 32 * block_rank() + threadIdx.x] = tile[31 - threadIdx.x];
  cluster_sync();
}

int main() {
  return launch(missing_cluster_sync, 2, 32, 2);
}
