// Two buffers that are one by mistake: a fast warp fills what slower ones still read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
// With two buffers, one __syncthreads() an iteration is enough.
#include "launch.h"

extern "C" __global__ void double_buffer_overwritten(int* data) {
  __shared__ int buffer[2][64];
  int sum = 0;
  for (int step = 0; step < 4; ++step) {
    int* const now = buffer[0];  // wrong
    // right: int* const now = buffer[step % 2];
    now[threadIdx.x] = data[step];  // reported
    __syncthreads();
    sum += now[63 - threadIdx.x];  // reported
  }
  data[64 + threadIdx.x] = sum;
}

int main() {
  return launch(double_buffer_overwritten, 1, 64);
}
