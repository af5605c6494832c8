// Warps exchange values in shared memory, after a barrier of a tile of the block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cooperative_groups.h>

extern "C" __global__ void tile_sync_for_block(int* data) {
  namespace cg = cooperative_groups;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  __shared__ int part[64];
  part[block.thread_rank()] = data[block.thread_rank()];  // reported
  tile.sync();                                            // wrong
  // right: block.sync();
  data[64 + block.thread_rank()] = part[tile.thread_rank()];  // reported
}

int main() {
  return launch(tile_sync_for_block, 1, 64);
}
