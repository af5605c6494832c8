// A copy would take an answer a second time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: consumer_state
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;

__device__ void misuse(queue& tiles, queue::consumer_state& at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  queue::consumer_state copy = at;
  tiles.next(copy);
#else
  tiles.next(at);
#endif
}
