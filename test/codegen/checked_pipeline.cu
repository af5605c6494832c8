// A pipeline in the checked build: the registers of checked_registers.cu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/pipeline>

// LIMIT: add_tiles sm_90 48 registers
extern "C" __global__ void add_tiles(int tiles, const unsigned* source, unsigned* total) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  alignas(16) __shared__ unsigned tile[2][1024];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  unsigned sum = 0;
  for (int index = 0; index < tiles; ++index) {
    unsigned* const stage = tile[index % 2];
    pipe.producer_acquire();
    cuda::memcpy_async(stage + threadIdx.x * 4, source + index * 1024 + threadIdx.x * 4, cuda::aligned_size_t<16>(16),
                       pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += stage[1023 - threadIdx.x];
    pipe.consumer_release();
  }
  atomicAdd(total, sum);
}
