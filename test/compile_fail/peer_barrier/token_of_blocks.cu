// The token of one block's phase is not that of all blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (no suitable user-defined conversion|cannot be called with the given argument list|an rvalue reference cannot be bound|could not convert|cannot convert|a reference of type)
// COMPILERS: nvrtc nvcc
#include <cudasync/peer_barrier.h>

__device__ void meet(cudasync::peer_barrier<>& all, cudasync::peer_block_barrier<>& block) {
#if defined(CUDASYNC_EXPECT_ERROR)
  all.wait(block.arrive());
#else
  all.wait(all.arrive());
  block.wait(block.arrive());
#endif
}
