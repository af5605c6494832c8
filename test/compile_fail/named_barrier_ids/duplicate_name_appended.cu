// A name that a library has is not the kernel's, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: duplicate name: two purposes would share a barrier; give each its own name
#include <cudasync/named_barrier.h>

struct loaded;
struct stored;

using ids_of_library = cudasync::named_barrier_ids<loaded>;

#if defined(CUDASYNC_EXPECT_ERROR)
using ids = ids_of_library::append<stored, loaded>;
#else
using ids = ids_of_library::append<stored>;
#endif

static_assert(ids::size > 0);
