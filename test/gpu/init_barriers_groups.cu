// init_barriers for the groups of cooperative_groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/exchange.h"
#include "../support/gpu_test.h"

#include <cuda/barrier>

#include <cooperative_groups.h>

namespace groups = cooperative_groups;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void init_for_block() {
  __shared__ block_barrier bars[3];
  __shared__ int slots[2 * 256];
  const auto block = groups::this_thread_block();
  cudasync::init_barriers(block, cudasync::expects(bars, block.size()));
  for (block_barrier& bar : bars)
    exchange<by_token>(bar, slots, block.size(), block.thread_rank(), 50);
}
TEST(init_barriers_for_a_block) {
  gpu_test::run(init_for_block, {4, dim3(8, 32)});
}

// Each tile has a barrier of its own.
__global__ void init_for_tiles() {
  __shared__ block_barrier bars[8];
  __shared__ int slots[8][2 * 32];
  const auto tile = groups::tiled_partition<32>(groups::this_thread_block());
  block_barrier& bar = bars[tile.meta_group_rank()];
  cudasync::init_barriers(tile, cudasync::expects(bar, tile.size()));
  exchange<by_token>(bar, slots[tile.meta_group_rank()], tile.size(), tile.thread_rank(), 50);
}
TEST(init_barriers_for_tiles) {
  gpu_test::run(init_for_tiles, {4, 256});
}

// Each block of the cluster has its own barriers, though the group's rank 0 is in one of them alone.
__global__ void init_for_cluster() {
  __shared__ block_barrier bar;
  __shared__ int slots[2 * 64];
  cudasync::init_barriers(groups::this_cluster(), cudasync::expects(bar, blockDim.x));
  exchange<by_parity>(bar, slots, blockDim.x, threadIdx.x, 50);
}
TEST(init_barriers_for_a_cluster) {
  gpu_test::shape how{8, 64};
  how.cluster = 4;
  gpu_test::run(init_for_cluster, how);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
