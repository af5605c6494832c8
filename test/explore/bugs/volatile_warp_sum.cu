// The reduction of a warp from the time before Volta: volatile keeps the compiler from caching, and orders no lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: trap
#include "launch.h"

extern "C" __global__ void volatile_warp_sum(int* data) {
  __shared__ int memory[64];
  volatile int* part = memory;
  part[threadIdx.x] = data[threadIdx.x] + 1;
  part[threadIdx.x + 32] = 0;
  // right: __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    const int sum = part[threadIdx.x] + part[threadIdx.x + half];
    // right: __syncwarp();
    part[threadIdx.x] = sum;
    // right: __syncwarp();
  }
  if (threadIdx.x == 0 && part[0] != 32) __trap();  // reported
}

int main() {
  return launch(volatile_warp_sum, 1, 32);
}
