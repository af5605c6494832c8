// Misuse with <cuda/latch>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/latch>

// misuse: assigned
// A latch is used once; its memory is begun anew by init.
// ERROR: deleted
__device__ void restart(cuda::latch<>& all) {
  all = cuda::latch<>(32);  // wrong
  init(&all, 32);           // right
}

// misuse: copied
// A latch is where its memory is, and has no copies.
// ERROR: deleted
// COMPILERS: nvrtc nvcc
__device__ void share(cuda::latch<>& all) {
  cuda::latch<> other(all);    // wrong
  cuda::latch<>& other = all;  // right
  other.wait();
}

// misuse: copied_on_host
// A latch of host threads has no copies, either.
// ERROR: deleted
// COMPILERS: host
void share(cuda::latch<>& all) {
  cuda::latch<> other(all);    // wrong
  cuda::latch<>& other = all;  // right
  other.wait();
}

// misuse: count_down_of_const
// To count down changes the latch.
// ERROR: type qualifiers that prevent a match|discards qualifiers
using latch_of_all = const cuda::latch<>;  // wrong
using latch_of_all = cuda::latch<>;        // right

__device__ void use(latch_of_all& all) {
  all.count_down();
}

// misuse: init_with_reference
// What init begins has no lifetime yet, and is named by its address.
// ERROR: init takes the address of the latch: init\(&latch, n\)
__host__ __device__ void start(cuda::latch<>& all) {
  init(all, 256);   // wrong
  init(&all, 256);  // right
}

// misuse: explicit
// No number converts to a latch by itself.
// ERROR: no suitable constructor exists to convert|conversion from
__device__ void start() {
  cuda::latch<cuda::thread_scope_block> all = 32;  // wrong
  cuda::latch<cuda::thread_scope_block> all(32);   // right
  all.count_down();
}
