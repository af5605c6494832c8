// A barrier is where its memory is, and has no copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)|deleted
// COMPILERS: nvrtc nvcc
#include <cudasync/grid_barrier.h>

__device__ void meet(cudasync::grid_barrier<>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::grid_barrier<> other(bar);
  other.arrive_and_wait();
#else
  cudasync::grid_barrier<>& other = bar;
  other.arrive_and_wait();
#endif
}
