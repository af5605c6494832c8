// Only the roles of a budget are added up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: register_budget::enter: not a role of this budget; add it to the list
// ARCHS: 90a
// COMPILERS: nvrtc nvcc
#include <cudasync/register_budget.h>

using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using greedy = cudasync::register_role<256, 240>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

__device__ void consume() {
#if defined(CUDASYNC_EXPECT_ERROR)
  budget::enter<greedy>();
#else
  budget::enter<consumer>();
#endif
}
