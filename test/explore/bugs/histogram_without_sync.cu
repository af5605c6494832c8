// A histogram that each block first collects in shared memory: nothing separates the zeros from the first additions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void histogram_without_sync(unsigned* data) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;  // reported
  // right: __syncthreads();
  atomicAdd(&bins[(data[threadIdx.x] + threadIdx.x) % 16], 1u);  // reported
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(data + 1024 + threadIdx.x, bins[threadIdx.x]);
}

int main() {
  return launch(histogram_without_sync, 2, 64);
}
