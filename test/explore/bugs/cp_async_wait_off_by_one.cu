// Two groups of copies: the wait leaves one of them open, which is the one that is read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cuda_pipeline.h>

extern "C" __global__ void cp_async_wait_off_by_one(int* data) {
  __shared__ int tile[2][64];
  for (int step = 0; step < 2; ++step) {
    __pipeline_memcpy_async(tile[step] + threadIdx.x, data + 64 * step + threadIdx.x, 4);  // reported
    __pipeline_commit();
  }
  int sum = 0;
  for (int step = 0; step < 2; ++step) {
    __pipeline_wait_prior(1);  // wrong
    // right: __pipeline_wait_prior(1 - step);
    __syncthreads();
    sum += tile[step][63 - threadIdx.x];  // reported
  }
  data[128 + threadIdx.x] = sum;
}

int main() {
  return launch(cp_async_wait_off_by_one, 1, 64);
}
