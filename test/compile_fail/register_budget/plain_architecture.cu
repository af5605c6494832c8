// Plain architectures have no setmaxnreg.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_budget needs setmaxnreg, which plain architectures lack; compile with -gencode arch=compute_90a,code=sm_90a, or 100a and so on: -arch=sm_90a also adds PTX for the plain architecture
// ARCHS: 80 90 100
// COMPILERS: nvrtc nvcc
#include <cudasync/register_budget.h>

using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

__device__ void produce() {
#if defined(CUDASYNC_EXPECT_ERROR)
  budget::enter<producer>();
#else
  static_assert(budget::registers == 168);
#endif
}
