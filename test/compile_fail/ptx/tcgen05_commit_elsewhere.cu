// Only sm_100a, sm_103a, sm_110a and their families have the tensor cores of tcgen05.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: this function of cuda::ptx is for the tensor cores of Blackwell: compile with -arch=sm_100a, sm_103a or sm_110a
// ARCHS: 90a 100 120a
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ void use(cuda::std::uint64_t* bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  ptx::tcgen05_commit(ptx::cta_group_1, bar);
#else
  ptx::mbarrier_arrive(bar);
#endif
}
