// The memory of a barrier becomes a buffer again while threads may still wait for the barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race hang
#include "launch.h"

#include <cuda/barrier>

extern "C" __global__ void barrier_memory_reused(int* data) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(8) int memory[2];
  barrier* const bar = reinterpret_cast<barrier*>(memory);
  if (threadIdx.x == 0) init(bar, blockDim.x);
  __syncthreads();
  bar->arrive_and_wait();  // reported
  // right: __syncthreads();
  // right: if (threadIdx.x == 0) bar->~barrier();
  if (threadIdx.x == 0) memory[0] = memory[1] = 5;  // reported
  __syncthreads();
  data[threadIdx.x] = memory[threadIdx.x % 2];
}

int main() {
  return launch(barrier_memory_reused, 1, 64);
}
