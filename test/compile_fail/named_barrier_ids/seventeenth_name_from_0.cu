// Without __syncthreads there are 16 barriers, and no more.
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
struct seventeen;

#if defined(CUDASYNC_EXPECT_ERROR)
using ids = cudasync::named_barrier_ids_from<0, one, two, three, four, five, six, seven, eight, nine, ten, eleven,
                                             twelve, thirteen, fourteen, fifteen, sixteen, seventeen>;
#else
using ids = cudasync::named_barrier_ids_from<0, one, two, three, four, five, six, seven, eight, nine, ten, eleven,
                                             twelve, thirteen, fourteen, fifteen, sixteen>;
#endif

static_assert(ids::size > 0);
