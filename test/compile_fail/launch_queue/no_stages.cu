// A ring has a stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: launch_queue<n, consumers>: a ring has at least one stage
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

#if defined(CUDASYNC_EXPECT_ERROR)
using queue = cudasync::launch_queue<0, cudasync::consumer_warps<2>>;

static_assert(sizeof(queue) != 0);
#else
using queue = cudasync::launch_queue<1, cudasync::consumer_warps<2>>;

static_assert(sizeof(queue) != 0);
#endif
