// Misuse with <cudasync/register_budget.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/register_budget.h>

// misuse: at_launch_not_a_multiple_of_8
// A kernel begins with registers by eights, too.
// ERROR: register_budget: registers are allocated in units of 8; give the number that ptxas -v reports
// COMPILERS: nvrtc nvcc
using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;

using budget = cudasync::register_budget<170, producer, consumer>;  // wrong
using budget = cudasync::register_budget<168, producer, consumer>;  // right

static_assert(budget::threads == 384);

// misuse: no_threads
// A role is played by a warpgroup.
// ERROR: register_role: a warpgroup changes its registers as a whole; give a multiple of 128 threads
static_assert(cudasync::register_role<0, 40>::registers != 0);    // wrong
static_assert(cudasync::register_role<128, 40>::registers != 0);  // right

// misuse: plain_architecture
// Plain architectures have no setmaxnreg.
// ERROR: register_budget needs setmaxnreg, which plain architectures lack; compile with -gencode arch=compute_90a,code=sm_90a, or 100a and so on: -arch=sm_90a also adds PTX for the plain architecture
// ARCHS: 80 90 100
// COMPILERS: nvrtc nvcc
using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

__device__ void produce() {
  budget::enter<producer>();                // wrong
  static_assert(budget::registers == 168);  // right
}

// misuse: registers_above_256
// A thread has at most 256 registers.
// ERROR: register_role: setmaxnreg takes 24 to 256 registers, a multiple of 8
static_assert(cudasync::register_role<128, 264>::registers != 0);  // wrong
static_assert(cudasync::register_role<128, 256>::registers != 0);  // right

// misuse: registers_below_24
// A warp keeps at least 24 registers.
// ERROR: register_role: setmaxnreg takes 24 to 256 registers, a multiple of 8
static_assert(cudasync::register_role<128, 16>::registers != 0);  // wrong
static_assert(cudasync::register_role<128, 24>::registers != 0);  // right

// misuse: registers_not_a_multiple_of_8
// Registers are given out by eights.
// ERROR: register_role: setmaxnreg takes 24 to 256 registers, a multiple of 8
// COMPILERS: nvrtc nvcc
static_assert(cudasync::register_role<128, 44>::registers != 0);  // wrong
static_assert(cudasync::register_role<128, 40>::registers != 0);  // right

// misuse: role_of_other_budget
// Only the roles of a budget are added up.
// ERROR: register_budget::enter: not a role of this budget; add it to the list
// ARCHS: 90a
// COMPILERS: nvrtc nvcc
using producer = cudasync::register_role<128, 40>;
using consumer = cudasync::register_role<256, 232>;
using greedy = cudasync::register_role<256, 240>;
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

__device__ void consume() {
  budget::enter<greedy>();    // wrong
  budget::enter<consumer>();  // right
}

// misuse: sum_too_large
// What the consumers take the producers give back.
// ERROR: register_budget: the roles need more registers than the block has, so one of them would wait forever; lower the number of another role
// COMPILERS: nvrtc nvcc
using consumer = cudasync::register_role<256, 232>;
using producer = cudasync::register_role<128, 48>;  // wrong
using producer = cudasync::register_role<128, 40>;  // right
using budget = cudasync::register_budget<cudasync::registers_at_launch(384), producer, consumer>;

static_assert(budget::threads == 384);

// misuse: threads_not_a_multiple_of_128
// A warpgroup is 128 threads.
// ERROR: register_role: a warpgroup changes its registers as a whole; give a multiple of 128 threads
// COMPILERS: nvrtc nvcc
static_assert(cudasync::register_role<64, 40>::registers != 0);   // wrong
static_assert(cudasync::register_role<128, 40>::registers != 0);  // right
