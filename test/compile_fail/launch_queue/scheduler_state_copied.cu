// A copy would not know that a request has failed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: scheduler_state
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;

__device__ void misuse(queue::scheduler_state& at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  queue::scheduler_state copy = at;
  static_cast<void>(copy.is_done());
#else
  queue::scheduler_state& same = at;
  static_cast<void>(same.is_done());
#endif
}
