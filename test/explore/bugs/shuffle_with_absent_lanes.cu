// A shuffle that names all lanes, in a branch that half of them take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

extern "C" __global__ void shuffle_with_absent_lanes(int* data) {
  int value = data[threadIdx.x];
  if (threadIdx.x < 16) {
    value += __shfl_down_sync(0xffffffff, value, 8);  // wrong, reported
    // right: value += __shfl_down_sync(0x0000ffff, value, 8, 16);
    data[32 + threadIdx.x] = value;
  }
  __syncthreads();  // reported
  data[64 + threadIdx.x] = value;
}

int main() {
  return launch(shuffle_with_absent_lanes, 1, 32);
}
