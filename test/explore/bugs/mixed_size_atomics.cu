// Two counters in one word: one thread adds to both by 64 bits, another one resets one of them by 32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
// Read-modify-writes of different sizes are atomic to each other. A store is not one.
#include "launch.h"

extern "C" __global__ void mixed_size_atomics(unsigned long long* data) {
  auto* const low = reinterpret_cast<unsigned*>(data);
  if (blockIdx.x == 0)
    atomicAdd(data, 1ull << 32 | 1);  // reported
  else
    asm volatile("st.relaxed.gpu.u32 [%0], 0;" ::"l"(low) : "memory");  // wrong, reported
                                                                        // right: atomicExch(low, 0u);
}

int main() {
  return launch(mixed_size_atomics, 2, 1);
}
