// Who meets at a barrier of blocks says which of how many it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"block_rank\"|has no member named .block_rank.
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  bar.arrive_and_wait(cudasync::this_thread_block());
#else
  bar.arrive_and_wait(cudasync::this_grid());
#endif
}
