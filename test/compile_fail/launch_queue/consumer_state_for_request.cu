// Each side has its own state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: consumer_state
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;

__device__ void misuse(queue& tiles) {
#if defined(CUDASYNC_EXPECT_ERROR)
  queue::consumer_state at(7);
  static_cast<void>(tiles.request(at));
#else
  queue::scheduler_state at;
  static_cast<void>(tiles.request(at));
#endif
}
