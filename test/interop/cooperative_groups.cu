// Beside cooperative groups: a grid, a cluster and tiles next to our barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ours_first.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "ours.h"

namespace cg = cooperative_groups;

__global__ void groups(int* data) {
  __shared__ block_barrier bar;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  const int sum = cg::reduce(tile, data[block.thread_rank()], cg::plus<int>());
  bar.arrive_and_wait();
  if (tile.thread_rank() == 0) data[blockIdx.x] = sum;
  cg::this_grid().sync();
  cg::this_cluster().sync();
}
