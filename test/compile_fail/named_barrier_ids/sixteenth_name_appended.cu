// A kernel's names and its library's share the same 16 barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
#include <cudasync/named_barrier.h>

struct one;
struct two;
struct three;
struct four;
struct five;
struct six;
struct seven;
struct eight;
struct nine;
struct ten;
struct eleven;
struct twelve;
struct thirteen;
struct fourteen;
struct fifteen;
struct sixteen;

using ids_of_library = cudasync::named_barrier_ids<one, two, three, four, five, six, seven, eight, nine, ten, eleven,
                                                   twelve, thirteen, fourteen>;

#if defined(CUDASYNC_EXPECT_ERROR)
using ids = ids_of_library::append<fifteen, sixteen>;
#else
using ids = ids_of_library::append<fifteen>;
#endif

static_assert(ids::size > 0);
