// cp.async does not exist before sm_80.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs sm_80: compile with -arch=sm_80 or newer, or use cuda::pipeline
// ARCHS: 75
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::cp_async_mbarrier_arrive(bar);
#else
  *bar = 0;
#endif
}
