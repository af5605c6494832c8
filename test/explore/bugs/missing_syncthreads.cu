// A reduction in shared memory whose steps no __syncthreads() separates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void missing_syncthreads(float* data) {
  __shared__ float part[128];
  part[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (unsigned half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];  // reported
    // right: __syncthreads();
  }
  if (threadIdx.x == 0) data[128] = part[0];
}

int main() {
  return launch(missing_syncthreads, 1, 128);
}
