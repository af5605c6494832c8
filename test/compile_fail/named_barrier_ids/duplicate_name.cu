// One name is one barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: duplicate name: two purposes would share a barrier; give each its own name
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

struct loaded;
struct stored;

#if defined(CUDASYNC_EXPECT_ERROR)
using ids = cudasync::named_barrier_ids<loaded, stored, loaded>;
#else
using ids = cudasync::named_barrier_ids<loaded, stored>;
#endif

static_assert(ids::size > 0);
