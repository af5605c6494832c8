// A wait for the parity of the phase before: it returns at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void wrong_parity(int* data) {
  __shared__ mbarrier bar;
  __shared__ int part[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  part[threadIdx.x] = data[threadIdx.x];  // reported
  arrive(&bar);
  wait(&bar, 1);  // wrong
  // right: wait(&bar, 0);
  data[64 + threadIdx.x] = part[63 - threadIdx.x];  // reported
}

int main() {
  return launch(wrong_parity, 1, 64);
}
