// A barrier that expects one arrival more than there are threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

#include <cuda/barrier>

extern "C" __global__ void count_too_large(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);  // wrong
  // right: if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();  // reported
  data[threadIdx.x] = 1;
}

int main() {
  return launch(count_too_large, 1, 64);
}
