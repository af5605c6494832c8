// What the consumers take the producers give back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_budget: the roles need more registers than the block has, so one of them would wait forever; lower the number of another role
// COMPILERS: nvrtc nvcc
#include <cudasync/register_budget.h>

using consumer = cudasync::register_role<256, 232>;
#if defined(CUDASYNC_EXPECT_ERROR)
using producer = cudasync::register_role<128, 48>;
#else
using producer = cudasync::register_role<128, 40>;
#endif
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

static_assert(budget::threads == 384);
