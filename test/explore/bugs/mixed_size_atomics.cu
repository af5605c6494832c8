// Two counters in one word: one thread adds to both by 64 bits, others to one of them by 32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
// Atomic operations of different sizes are not atomic to each other.
#include "launch.h"

extern "C" __global__ void mixed_size_atomics(unsigned long long* data) {
  if (blockIdx.x == 0)
    atomicAdd(data, 1ull << 32 | 1);  // reported
  else
    atomicAdd(reinterpret_cast<unsigned*>(data), 1u);  // wrong, reported
                                                       // right: atomicAdd(data, 1ull);
}

int main() {
  return launch(mixed_size_atomics, 2, 1);
}
