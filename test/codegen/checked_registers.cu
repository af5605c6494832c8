// Small kernels in the checked build: a block of 1,024 threads can be launched only with at most 64 registers per thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/barrier>
#include <cudasync/named_barrier.h>

// LIMIT: meet sm_90 64 registers
extern "C" __global__ void meet(int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round)
    bar.arrive_and_wait();
}

// LIMIT: split sm_90 64 registers
extern "C" __global__ void split(int rounds, float* values) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    auto token = bar.arrive();
    values[threadIdx.x] *= 2;
    bar.wait(cuda::std::move(token));
  }
}

// LIMIT: meet_by_name sm_90 64 registers
extern "C" __global__ void meet_by_name(int rounds) {
  for (int round = 0; round < rounds; ++round)
    cudasync::named_barrier<1, 1024>::sync();
}

// LIMIT: meet_in_device sm_90 64 registers
extern "C" __global__ void meet_in_device(cuda::barrier<cuda::thread_scope_device>* bar) {
  bar->arrive_and_wait();
}
