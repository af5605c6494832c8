// memcpy_async with a barrier: by a block, by one thread, and for the last tile of an array.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

#include <cooperative_groups.h>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void compute();
__device__ void use(const float* tile);

__device__ void by_block(barrier& bar, float* tile, const float* source) {
  // [group]
  const auto block = cudasync::this_thread_block();                    // or cooperative_groups::this_thread_block()
  cuda::memcpy_async(block, tile, source, 1024 * sizeof(float), bar);  // all threads of the block call it
  auto token = bar.arrive();
  compute();  // needs no copied byte
  bar.wait(std::move(token));
  use(tile);
  // [end group]
}

__device__ void by_one_thread(barrier& bar, float* tile, const float* source) {
  // [thread]
  if (threadIdx.x == 0) cuda::memcpy_async(tile, source, cuda::aligned_size_t<16>(1024 * sizeof(float)), bar);
  bar.arrive_and_wait();  // all threads: the bytes belong to the phase in which thread 0 arrives
  // [end thread]
}

__device__ void last_tile(barrier& bar, float* tile, const float* source, size_t rest) {
  // [zero fill]
  const size_t valid = rest < 1024 ? rest : 1024;
  const cudasync::zero_filled_size bytes(1024 * sizeof(float), valid * sizeof(float));
  cuda::memcpy_async(cudasync::this_thread_block(), tile, source, bytes, bar);
  bar.arrive_and_wait();  // tile[valid] to tile[1023] are 0
  // [end zero fill]
}
