// A block has sixteen named barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: turns by named barriers: a block has 16 barriers, and turns need one for each group and stage; use a smaller first id, fewer groups or stages, or by_mbarriers
#include <cudasync/turns.h>

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(cudasync::turns<4, 4, 64, cudasync::by_named_barriers<1>>::groups != 0);
#else
static_assert(cudasync::turns<4, 3, 64, cudasync::by_named_barriers<4>>::groups != 0);
#endif
