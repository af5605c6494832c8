// Older architectures have no clusters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: launch_queue for the blocks of a cluster needs sm_90: older architectures have no clusters; use one block there, or compile with -arch=sm_90
// ARCHS: 80
#include <cuda/work_stealing>

#if defined(CUDASYNC_EXPECT_ERROR)
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;

__device__ void use(queue& tiles, queue::scheduler_state& at) {
  tiles.scheduler_tail(at);
}
#else
using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>>;

__device__ void use(queue& tiles, queue::scheduler_state& at) {
  tiles.scheduler_tail(at);
}
#endif
