// A role is played by a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_role: a warpgroup changes its registers as a whole; give a multiple of 128 threads
#include <cudasync/register_budget.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::register_role<0, 40>::registers != 0);
#else
static_assert(cudasync::register_role<128, 40>::registers != 0);
#endif
