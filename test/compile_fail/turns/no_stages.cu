// Turns are taken in some stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: turns<groups, stages, threads>: turns are taken in at least one stage
#include <cudasync/turns.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::turns<2, 0, 128>::groups != 0);
#else
static_assert(cudasync::turns<2, 1, 128>::groups != 0);
#endif
