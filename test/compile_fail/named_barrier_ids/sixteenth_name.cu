// Barrier 0 is taken, so that 15 are left.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
// COMPILERS: nvrtc nvcc
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

#if defined(CUDASYNC_EXPECT_ERROR)
using ids = cudasync::named_barrier_ids<one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve,
                                        thirteen, fourteen, fifteen, sixteen>;
#else
using ids = cudasync::named_barrier_ids<one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve,
                                        thirteen, fourteen, fifteen>;
#endif

static_assert(ids::size > 0);
