// The last block to finish sums up what all have stored. The fence before the counter reaches only the own block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void block_fence_in_last_block(int* data) {
  __shared__ bool is_last;
  int* const count = data + 64;
  if (threadIdx.x == 0) {
    data[blockIdx.x] = 1;   // reported
    __threadfence_block();  // wrong
    // right: __threadfence();
    is_last = atomicAdd(count, 1) == static_cast<int>(gridDim.x) - 1;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int sum = 0;
    for (unsigned block = 0; block < gridDim.x; ++block)
      sum += data[block];  // reported
    data[128] = sum;
  }
}

int main() {
  return launch(block_fence_in_last_block, 3, 32);
}
