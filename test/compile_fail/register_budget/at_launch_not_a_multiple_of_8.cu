// A kernel begins with registers by eights, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_budget: registers are allocated in units of 8; give the number that ptxas -v reports
// COMPILERS: nvrtc nvcc
#include <cudasync/register_budget.h>

using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;

#if defined(CUDASYNC_EXPECT_ERROR)
using budget = cudasync::register_budget<170, producer, consumer>;
#else
using budget = cudasync::register_budget<168, producer, consumer>;
#endif

static_assert(budget::threads == 384);
