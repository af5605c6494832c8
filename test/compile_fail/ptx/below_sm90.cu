// Before sm_90 an mbarrier has no arrival of several threads at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx needs sm_90: compile with -arch=sm_90 or newer, or use cuda::barrier
// ARCHS: 75 80
#include <cudasync/compat/ptx.h>

#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void arrive_twice(unsigned long* bar) {
  cuda::ptx::mbarrier_arrive(bar, 2);
}
#else
__device__ void arrive_twice(cuda::barrier<cuda::thread_scope_block>& bar) {
  static_cast<void>(bar.arrive(2));
}
#endif
