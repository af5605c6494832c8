// A tile that cp.async copies is read after __syncthreads() alone, which does not wait for copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cuda_pipeline.h>

extern "C" __global__ void cp_async_without_wait(int* data) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(tile + threadIdx.x, data + threadIdx.x, 4);  // reported
  __pipeline_commit();
  // right: __pipeline_wait_prior(0);
  __syncthreads();
  data[64 + threadIdx.x] = tile[63 - threadIdx.x];  // reported
}

int main() {
  return launch(cp_async_without_wait, 1, 64);
}
