// A named barrier counts whole warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: turns by named barriers: whole warps take turns; give a multiple of 32 threads, or use by_mbarriers
#include <cudasync/turns.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::turns<2, 1, 48, cudasync::by_named_barriers<1>>::groups != 0);
#else
static_assert(cudasync::turns<2, 1, 48>::groups != 0);
#endif
