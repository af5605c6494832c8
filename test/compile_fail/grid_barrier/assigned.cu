// A barrier is begun anew by init, and not by an assignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cudasync/grid_barrier.h>

__device__ void restart(cudasync::grid_barrier<>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  bar = cudasync::grid_barrier<>();
#else
  init(&bar);
#endif
}
