// A __syncthreads() that only a part of the block reaches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: divergence
#include "launch.h"

extern "C" __global__ void syncthreads_in_branch(int* data) {
  __shared__ int part[64];
  if (threadIdx.x < 48) {
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();  // wrong, reported
  }
  // right: __syncthreads();
  if (threadIdx.x < 32) data[64 + threadIdx.x] = part[47 - threadIdx.x];
  __syncthreads();  // reported
  data[128 + threadIdx.x] = 1;
}

int main() {
  return launch(syncthreads_in_branch, 1, 64);
}
