// Two buffers, and one __syncthreads() an iteration, before the reads: a fast warp fills a buffer that others still read when
// both are the same one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
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
