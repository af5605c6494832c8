// All groups are in one block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: turns<groups, stages, threads>: a block has 1 to 1024 threads; give the number of threads of one group, such that all groups fit into a block
#include <cudasync/turns.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::turns<3, 1, 384>::groups != 0);
#else
static_assert(cudasync::turns<3, 1, 256>::groups != 0);
#endif
