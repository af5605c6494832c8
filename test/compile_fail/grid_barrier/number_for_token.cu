// A number is no token.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: inaccessible|is private|no instance of
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  bar.wait(cudasync::grid_barrier<>::arrival_token(0u));
#else
  bar.wait(bar.arrive());
#endif
}
