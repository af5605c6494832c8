// A copy of a place would take the same turn a second time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cudasync/turns.h>

using order = cudasync::turns<2, 1, 32>;

__device__ void take(order::place& mine) {
#if defined(CUDASYNC_EXPECT_ERROR)
  order::place copy = mine;
#else
  order::place& copy = mine;
#endif
  copy.wait();
}
