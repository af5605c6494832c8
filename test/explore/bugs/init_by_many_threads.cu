// A block of two dimensions whose barrier is initialized by all threads of a column: threadIdx.x is 0 in each row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cuda/barrier>

extern "C" __global__ void init_by_many_threads(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x * blockDim.y);  // wrong, reported
  // right: if (threadIdx.x == 0 && threadIdx.y == 0) init(&bar, blockDim.x * blockDim.y);
  __syncthreads();
  bar.arrive_and_wait();
  data[threadIdx.y * blockDim.x + threadIdx.x] = 1;
}

int main() {
  return launch(init_by_many_threads, 1, dim3(16, 4));
}
