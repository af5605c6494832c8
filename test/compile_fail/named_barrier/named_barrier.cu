// Misuse with <cudasync/named_barrier.h>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cudasync/named_barrier.h>

// misuse: dynamic_without_threads
// A barrier whose id the run tells has its number of threads from there, too.
// ERROR: no suitable constructor|no instance of constructor|no matching function
__device__ void meet(unsigned id) {
  const cudasync::dynamic_named_barrier bar(id);      // wrong
  const cudasync::dynamic_named_barrier bar(id, 64);  // right
  bar.sync();
}

// misuse: id_at_run_time
// An id that only the run tells is for dynamic_named_barrier.
// ERROR: expression must have a constant value|not a constant expression|constant expression
__device__ void meet([[maybe_unused]] unsigned id) {
  cudasync::named_barrier<id, 64>::sync();            // wrong
  const cudasync::dynamic_named_barrier bar(id, 64);  // right
  bar.sync();                                         // right
}

// common:
__device__ void hand_over() {
  // misuse: arrive_unaligned_without_threads
  // Nor where the threads of a warp have gone different ways.
  // ERROR: named_barrier::arrive needs the number of threads: give it as the second template argument, counting arriving and waiting threads together
  cudasync::named_barrier<1>::arrive(cudasync::unaligned);       // wrong
  cudasync::named_barrier<1, 256>::arrive(cudasync::unaligned);  // right

  // misuse: arrive_without_threads
  // All threads of a block cannot be those of whom some only arrive.
  // ERROR: named_barrier::arrive needs the number of threads: give it as the second template argument, counting arriving and waiting threads together
  // COMPILERS: nvrtc nvcc
  cudasync::named_barrier<1>::arrive();       // wrong
  cudasync::named_barrier<1, 256>::arrive();  // right
}

// common:
__device__ void meet() {
  // misuse: id_16
  // The hardware would take id 16 for 0.
  // ERROR: named_barrier: a block has 16 barriers; give an id of 0 to 15
  // COMPILERS: nvrtc nvcc
  cudasync::named_barrier<16, 64>::sync();  // wrong
  cudasync::named_barrier<15, 64>::sync();  // right

  // misuse: threads_above_1024
  // A block has at most 1024 threads.
  // ERROR: named_barrier: a block has at most 1024 threads; give 32 to 1024
  // COMPILERS: nvrtc nvcc
  cudasync::named_barrier<1, 1056>::sync();  // wrong
  cudasync::named_barrier<1, 1024>::sync();  // right

  // misuse: threads_not_a_multiple_of_32
  // Whole warps come to a named barrier.
  // ERROR: named_barrier: whole warps take part; give a multiple of 32 threads
  // COMPILERS: nvrtc nvcc
  cudasync::named_barrier<1, 48>::sync();  // wrong
  cudasync::named_barrier<1, 64>::sync();  // right
}
