// Registers are given out by eights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_role: setmaxnreg takes 24 to 256 registers, a multiple of 8
// COMPILERS: nvrtc nvcc
#include <cudasync/register_budget.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::register_role<128, 44>::registers != 0);
#else
static_assert(cudasync::register_role<128, 40>::registers != 0);
#endif
