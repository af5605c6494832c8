// Blocks read what other blocks have stored, after a barrier of their own block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cooperative_groups.h>

extern "C" __global__ void block_sync_for_grid(int* data) {
  namespace cg = cooperative_groups;
  const auto grid = cg::this_grid();
  data[grid.thread_rank()] = 1;    // reported
  cg::this_thread_block().sync();  // wrong
  // right: grid.sync();
  data[64 + grid.thread_rank()] = data[grid.size() - 1 - grid.thread_rank()];  // reported
}

int main() {
  return launch(block_sync_for_grid, 2, 32);
}
