// A barrier of a grid with more blocks than can run at the same time: those that run wait for those that cannot start.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

extern "C" __global__ void grid_barrier_too_large(int* data) {
  atomicAdd(data, 1);
  while (atomicAdd(data, 0) < static_cast<int>(gridDim.x))  // reported
    __nanosleep(1000);                                      // reported
}

int main() {
  return launch(grid_barrier_too_large, 5000, 1);  // wrong
  // right: return launch(grid_barrier_too_large, 4, 1);
}
