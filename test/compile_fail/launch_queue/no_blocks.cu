// A cluster has a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: launch_queue<n, consumers, blocks>: a cluster has 1 to 16 blocks
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

#if defined(CUDASYNC_EXPECT_ERROR)
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 0>;

static_assert(sizeof(queue) != 0);
#else
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 1>;

static_assert(sizeof(queue) != 0);
#endif
