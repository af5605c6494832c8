// A name has a barrier when it is in the list.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: no barrier of this name; add it to the list
#include <cudasync/named_barrier.h>

struct loaded;
struct stored;
struct reduced;

using ids = cudasync::named_barrier_ids<loaded, stored>;

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  ids::barrier<reduced, 64>::sync();
#else
  ids::append<reduced>::barrier<reduced, 64>::sync();
#endif
}
