// A single group has nobody to take turns with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: turns<groups, stages, threads>: a single group needs no turns; give 2 groups or more
#include <cudasync/turns.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::turns<1, 2, 128>::groups != 0);
#else
static_assert(cudasync::turns<2, 2, 128>::groups != 0);
#endif
