// A loop that waits for the same parity each time: every other wait returns before its phase is complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race hang
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void parity_not_flipped(int* data) {
  __shared__ mbarrier bar;
  __shared__ int part[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned step = 0; step < 2; ++step) {
    part[threadIdx.x] = data[step];  // reported
    arrive(&bar);
    wait(&bar, 0);  // wrong
    // right: wait(&bar, step % 2);
    data[64 * (step + 1) + threadIdx.x] = part[63 - threadIdx.x];  // reported
    __syncthreads();
  }
}

int main() {
  return launch(parity_not_flipped, 1, 64);
}
