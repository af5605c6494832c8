// Misuse with <cudasync/turns.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/turns.h>

// misuse: more_threads_than_a_block
// All groups are in one block.
// ERROR: turns<groups, stages, threads>: a block has 1 to 1024 threads; give the number of threads of one group, such that all groups fit into a block
static_assert(cudasync::turns<3, 1, 384>::groups != 0);  // wrong
static_assert(cudasync::turns<3, 1, 256>::groups != 0);  // right

// misuse: named_barrier_0
// Number 0 is that of __syncthreads.
// ERROR: turns by named barriers: number 0 belongs to __syncthreads; give a first id of 1 or more
static_assert(cudasync::turns<2, 1, 64, cudasync::by_named_barriers<0>>::groups != 0);  // wrong
static_assert(cudasync::turns<2, 1, 64, cudasync::by_named_barriers<1>>::groups != 0);  // right

// misuse: named_barriers_beyond_15
// A block has sixteen named barriers.
// ERROR: turns by named barriers: a block has 16 barriers, and turns need one for each group and stage; use a smaller first id, fewer groups or stages, or by_mbarriers
static_assert(cudasync::turns<4, 4, 64, cudasync::by_named_barriers<1>>::groups != 0);  // wrong
static_assert(cudasync::turns<4, 3, 64, cudasync::by_named_barriers<4>>::groups != 0);  // right

// misuse: named_barriers_of_odd_threads
// A named barrier counts whole warps.
// ERROR: turns by named barriers: whole warps take turns; give a multiple of 32 threads, or use by_mbarriers
static_assert(cudasync::turns<2, 1, 48, cudasync::by_named_barriers<1>>::groups != 0);  // wrong
static_assert(cudasync::turns<2, 1, 48>::groups != 0);                                  // right

// misuse: no_stages
// Turns are taken in some stage.
// ERROR: turns<groups, stages, threads>: turns are taken in at least one stage
static_assert(cudasync::turns<2, 0, 128>::groups != 0);  // wrong
static_assert(cudasync::turns<2, 1, 128>::groups != 0);  // right

// misuse: no_threads
// A group without threads would never pass.
// ERROR: turns<groups, stages, threads>: a block has 1 to 1024 threads; give the number of threads of one group, such that all groups fit into a block
static_assert(cudasync::turns<2, 1, 0>::groups != 0);   // wrong
static_assert(cudasync::turns<2, 1, 32>::groups != 0);  // right

// misuse: one_group
// A single group has nobody to take turns with.
// ERROR: turns<groups, stages, threads>: a single group needs no turns; give 2 groups or more
static_assert(cudasync::turns<1, 2, 128>::groups != 0);  // wrong
static_assert(cudasync::turns<2, 2, 128>::groups != 0);  // right

// misuse: place_copied
// A copy of a place would take the same turn a second time.
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
using order = cudasync::turns<2, 1, 32>;

__device__ void take(order::place& mine) {
  order::place copy = mine;   // wrong
  order::place& copy = mine;  // right
  copy.wait();
}
