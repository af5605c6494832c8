// A barrier of the grid by hand, a counter alone: it stops the blocks, and orders nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void grid_barrier_without_fence(int* data) {
  int* const count = data + 64;
  data[blockIdx.x] = 1;  // reported
  // right: __threadfence();
  atomicAdd(count, 1);
  while (atomicAdd(count, 0) < static_cast<int>(gridDim.x)) {
  }
  // right: __threadfence();
  data[32 + blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];  // reported
}

int main() {
  return launch(grid_barrier_without_fence, 3, 1);
}
