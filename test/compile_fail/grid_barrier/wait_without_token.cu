// Who has not arrived does not wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function.*wait|no matching function
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  bar.wait();
#else
  bar.wait(bar.arrive());
#endif
}
