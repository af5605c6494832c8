// Ids begin where other code ends, and must still be 15 or less.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
#include <cudasync/named_barrier.h>

struct loaded;
struct stored;

#if defined(CUDASYNC_EXPECT_ERROR)
using ids = cudasync::named_barrier_ids_from<15, loaded, stored>;
#else
using ids = cudasync::named_barrier_ids_from<14, loaded, stored>;
#endif

static_assert(ids::end > 15);
