// The standard's barrier is explicit: no number converts to it by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/std/barrier>

__device__ void start() {
  cuda::std::barrier<> bar = 32;  // wrong
  cuda::std::barrier<> bar(32);   // right
  bar.arrive_and_wait();
}
