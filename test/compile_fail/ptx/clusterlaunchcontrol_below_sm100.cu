// Older architectures cannot cancel launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: clusterlaunchcontrol needs sm_100: compile with -arch=sm_100 or newer, or use launch_queue or for_each_canceled_block, which work on all architectures
#include <cuda/work_stealing>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(void* response, cudasync::uint64* bar) {
  cuda::ptx::clusterlaunchcontrol_try_cancel(response, bar);
}
#else
__device__ void use(unsigned& tiles) {
  cuda::for_each_canceled_block([&](dim3) { ++tiles; });
}
#endif
