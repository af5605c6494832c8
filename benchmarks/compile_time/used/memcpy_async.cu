// A kernel whose barrier waits for a copy by each thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

__global__ void kernel(float* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) float tile[4 * 256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(tile + 4 * threadIdx.x, data + 4 * threadIdx.x, cuda::aligned_size_t<16>(16), bar);
  bar.arrive_and_wait();
  data[threadIdx.x] = tile[threadIdx.x ^ 1];
}
