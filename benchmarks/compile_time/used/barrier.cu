// A kernel that arrives at a barrier and waits for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

__global__ void kernel(float* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  data[threadIdx.x] += 1;
  auto token = bar.arrive();
  bar.wait(static_cast<decltype(token)&&>(token));
  data[threadIdx.x] += data[threadIdx.x ^ 1];
  bar.arrive_and_wait();
}
