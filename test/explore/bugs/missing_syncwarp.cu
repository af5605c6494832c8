// Lanes of one warp exchange values through shared memory, as if they executed in lockstep.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void missing_syncwarp(int* data) {
  __shared__ int part[32];
  part[threadIdx.x] = data[threadIdx.x];  // reported
  // right: __syncwarp();
  data[32 + threadIdx.x] = part[31 - threadIdx.x];  // reported
}

int main() {
  return launch(missing_syncwarp, 1, 32);
}
