// A name has an id when it is in the list.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: no barrier of this name; add it to the list
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

struct loaded;
struct stored;
struct reduced;

using ids = cudasync::named_barrier_ids<loaded, stored>;

#if defined(CUDASYNC_EXPECT_ERROR)
static_assert(ids::id<reduced>() > 0);
#else
static_assert(ids::append<reduced>::id<reduced>() == 3);
#endif
