// A warp keeps at least 24 registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_role: setmaxnreg takes 24 to 256 registers, a multiple of 8
#include <cudasync/register_budget.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::register_role<128, 16>::registers != 0);
#else
static_assert(cudasync::register_role<128, 24>::registers != 0);
#endif
