// A barrier that expects fewer arrivals than there are: it opens too early.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race too-many-arrivals
#include "launch.h"

#include <cuda/barrier>

extern "C" __global__ void count_too_small(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int part[64];
  if (threadIdx.x == 0) init(&bar, 32);  // wrong
  // right: if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  part[threadIdx.x] = data[threadIdx.x];            // reported
  bar.arrive_and_wait();                            // reported
  data[64 + threadIdx.x] = part[63 - threadIdx.x];  // reported
}

int main() {
  return launch(count_too_small, 1, 64);
}
