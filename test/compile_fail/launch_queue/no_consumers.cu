// Somebody takes the tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: launch_queue<n, consumers>: a queue needs consumers; give consumer_warps<1> or more
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

#if defined(CUDASYNC_EXPECT_ERROR)
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<0>>;

static_assert(sizeof(queue) != 0);
#else
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<1>>;

static_assert(sizeof(queue) != 0);
#endif
