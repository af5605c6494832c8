// A block's barrier in the checked build: the registers of checked_registers.cu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/barrier>

// LIMIT: meet sm_90 40 registers
extern "C" __global__ void meet(int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round)
    bar.arrive_and_wait();
}
