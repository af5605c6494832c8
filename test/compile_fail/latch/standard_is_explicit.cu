// No number converts to the standard's latch by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/std/latch>

__device__ void start() {
  cuda::std::latch all = 32;  // wrong
  cuda::std::latch all(32);   // right
  all.count_down();
}
