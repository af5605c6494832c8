// A kernel with a ring of two stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

struct block {
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned size() { return blockDim.x; }
  __device__ static unsigned thread_rank() { return threadIdx.x; }
};
__global__ void kernel(const float* data, float* sums, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ alignas(16) float tile[2][256];
  auto pipe = cuda::make_pipeline(block{}, &state);
  float sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(block{}, tile[0], data, sizeof(tile[0]), pipe);
  pipe.producer_commit();
  for (int i = 1; i <= tiles; ++i) {
    if (i < tiles) {
      pipe.producer_acquire();
      cuda::memcpy_async(block{}, tile[i % 2], data + 256 * i, sizeof(tile[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[(i - 1) % 2][threadIdx.x];
    pipe.consumer_release();
  }
  sums[threadIdx.x] = sum;
}
