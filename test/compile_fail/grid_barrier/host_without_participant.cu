// A host thread is in no grid, and says who it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no matching function|too few arguments
// COMPILERS: host
#include <cudasync/grid_barrier.h>

void meet(cudasync::grid_barrier<cudasync::thread_scope_system>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  bar.arrive_and_wait();
#else
  bar.arrive_and_wait(cudasync::participant{0, 2});
#endif
}
