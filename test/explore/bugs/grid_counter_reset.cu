// A barrier of the grid whose last block sets the counter back while the others may still look at it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

extern "C" __global__ void grid_counter_reset(unsigned* data) {
  unsigned *const count = data, *const phase = data + 64;
  const unsigned blocks = gridDim.x;
  for (unsigned round = 0; round < 2; ++round) {
    __threadfence();
    if (atomicAdd(count, 1u) == blocks - 1) {
      atomicExch(count, 0u);
      atomicAdd(phase, 1u);
    } else {
      while (atomicAdd(count, 0u) != 0) {  // wrong, reported
        // right: while (atomicAdd(phase, 0u) == round) {
        __nanosleep(50);  // reported
      }
    }
    __threadfence();
  }
}

int main() {
  return launch(grid_counter_reset, 3, 1);
}
