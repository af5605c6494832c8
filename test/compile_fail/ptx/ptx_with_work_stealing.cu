// Misuse with <cuda/work_stealing>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/work_stealing>

// misuse: clusterlaunchcontrol_below_sm100
// Older architectures cannot cancel launches.
// ERROR: clusterlaunchcontrol needs sm_100: compile with -arch=sm_100 or newer, or use launch_queue or for_each_canceled_block, which work on all architectures
#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(void* response, cudasync::uint64* bar) {
  cuda::ptx::clusterlaunchcontrol_try_cancel(response, bar);
}
#else
__device__ void use(unsigned& tiles) {
  cuda::for_each_canceled_block([&](dim3) { ++tiles; });
}
#endif

// misuse: clusterlaunchcontrol_multicast_on_plain_sm100
// Plain architectures have no multicast of responses.
// ERROR: clusterlaunchcontrol with multicast needs sm_100a or sm_100f: the plain architecture does not have it; compile with -arch=sm_100a, 100f and so on
// ARCHS: 100
__device__ void use(void* response, cudasync::uint64* bar) {
  cuda::ptx::clusterlaunchcontrol_try_cancel_multicast(response, bar);  // wrong
  cuda::ptx::clusterlaunchcontrol_try_cancel(response, bar);            // right
}
