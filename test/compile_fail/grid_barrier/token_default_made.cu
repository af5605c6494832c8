// Only an arrival makes a token.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no default constructor exists|no matching function
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::grid_barrier<>::arrival_token token;
#else
  cudasync::grid_barrier<>::arrival_token token = bar.arrive();
#endif
  bar.wait(static_cast<decltype(token)&&>(token));
}
