// Plain architectures have no multicast of responses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: clusterlaunchcontrol with multicast needs sm_100a or sm_100f: the plain architecture does not have it; compile with -arch=sm_100a, 100f and so on
// ARCHS: 100
#include <cuda/work_stealing>

__device__ void use(void* response, cudasync::uint64* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::ptx::clusterlaunchcontrol_try_cancel_multicast(response, bar);
#else
  cuda::ptx::clusterlaunchcontrol_try_cancel(response, bar);
#endif
}
