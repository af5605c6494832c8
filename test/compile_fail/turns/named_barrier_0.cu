// Number 0 is that of __syncthreads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: turns by named barriers: number 0 belongs to __syncthreads; give a first id of 1 or more
#include <cudasync/turns.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::turns<2, 1, 64, cudasync::by_named_barriers<0>>::groups != 0);
#else
static_assert(cudasync::turns<2, 1, 64, cudasync::by_named_barriers<1>>::groups != 0);
#endif
