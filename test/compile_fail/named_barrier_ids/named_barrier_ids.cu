// Misuse with <cudasync/named_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/named_barrier.h>

// misuse: beyond_15
// Ids begin where other code ends, and must still be 15 or less.
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
struct loaded;
struct stored;

using ids = cudasync::named_barrier_ids_from<15, loaded, stored>;  // wrong
using ids = cudasync::named_barrier_ids_from<14, loaded, stored>;  // right

static_assert(ids::end > 15);

// misuse: duplicate_name
// One name is one barrier.
// ERROR: named_barrier_ids: duplicate name: two purposes would share a barrier; give each its own name
// COMPILERS: nvrtc nvcc
struct loaded;
struct stored;

using ids = cudasync::named_barrier_ids<loaded, stored, loaded>;  // wrong
using ids = cudasync::named_barrier_ids<loaded, stored>;          // right

static_assert(ids::size > 0);

// misuse: duplicate_name_appended
// A name that a library has is not the kernel's, too.
// ERROR: named_barrier_ids: duplicate name: two purposes would share a barrier; give each its own name
struct loaded;
struct stored;

using ids_of_library = cudasync::named_barrier_ids<loaded>;

using ids = ids_of_library::append<stored, loaded>;  // wrong
using ids = ids_of_library::append<stored>;          // right

static_assert(ids::size > 0);

// misuse: seventeenth_name_from_0
// Without __syncthreads there are 16 barriers, and no more.
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
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

// misuse: sixteenth_name
// Barrier 0 is taken, so that 15 are left.
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
// COMPILERS: nvrtc nvcc
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

// misuse: sixteenth_name_appended
// A kernel's names and its library's share the same 16 barriers.
// ERROR: named_barrier_ids: a block has 16 barriers, and number 0 belongs to __syncthreads; use fewer names, or one barrier for several purposes that never overlap
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

using ids = ids_of_library::append<fifteen, sixteen>;  // wrong
using ids = ids_of_library::append<fifteen>;           // right

static_assert(ids::size > 0);

// misuse: unknown_name
// A name has an id when it is in the list.
// ERROR: named_barrier_ids: no barrier of this name; add it to the list
// COMPILERS: nvrtc nvcc
struct loaded;
struct stored;
struct reduced;

using ids = cudasync::named_barrier_ids<loaded, stored>;

static_assert(ids::id<reduced>() > 0);                    // wrong
static_assert(ids::append<reduced>::id<reduced>() == 3);  // right

// misuse: unknown_name_of_barrier
// A name has a barrier when it is in the list.
// ERROR: named_barrier_ids: no barrier of this name; add it to the list
struct loaded;
struct stored;
struct reduced;

using ids = cudasync::named_barrier_ids<loaded, stored>;

__device__ void meet() {
  ids::barrier<reduced, 64>::sync();                   // wrong
  ids::append<reduced>::barrier<reduced, 64>::sync();  // right
}
