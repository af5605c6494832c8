// memcpy_async copies what the threads of the block have just stored in global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/stored_tiles.h"

#include <cuda/barrier>
#include <cuda/pipeline>

using namespace stored_tiles;

struct by_the_group {
  static __device__ void copy(unsigned* tile, const unsigned* global, block_barrier& bar) {
    static_cast<void>(cuda::memcpy_async(cudasync::this_thread_block(), tile, global, tile_size(tile_bytes), bar));
  }
};
struct by_the_group_as_bytes {
  static __device__ void copy(unsigned* tile, const unsigned* global, block_barrier& bar) {
    static_cast<void>(cuda::memcpy_async(cudasync::this_thread_block(), reinterpret_cast<char*>(tile),
                                         reinterpret_cast<const char*>(global), tile_bytes, bar));
  }
};
struct by_one_thread {
  static __device__ void copy(unsigned* tile, const unsigned* global, block_barrier& bar) {
    if (threadIdx.x == 0) static_cast<void>(cuda::memcpy_async(tile, global, tile_size(tile_bytes), bar));
  }
};

template <class How>
__global__ void by_barrier(unsigned* global) {
  alignas(128) __shared__ unsigned tile[words];
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  global += blockIdx.x * words;
  for (unsigned round = 0; round < rounds; ++round) {
    write(global, round);
    __syncthreads();
    How::copy(tile, global, bar);
    bar.arrive_and_wait();
    check(tile, round);
    __syncthreads();
  }
}
TEST(by_a_barrier) {
  run(by_barrier<by_the_group>);
  run(by_barrier<by_the_group_as_bytes>);
  run(by_barrier<by_one_thread>);
}

__global__ void by_pipeline(unsigned* global) {
  alignas(128) __shared__ unsigned tile[words];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  const auto block = cudasync::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  global += blockIdx.x * words;
  for (unsigned round = 0; round < rounds; ++round) {
    write(global, round);
    __syncthreads();
    pipe.producer_acquire();
    static_cast<void>(cuda::memcpy_async(block, tile, global, tile_size(tile_bytes), pipe));
    pipe.producer_commit();
    pipe.consumer_wait();
    check(tile, round);
    pipe.consumer_release();
  }
}
// One thread copies what the consumers have written.
__global__ void by_pipeline_with_roles(unsigned* global) {
  alignas(128) __shared__ unsigned tile[words];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 32);
  global += blockIdx.x * words;
  for (unsigned round = 0; round < rounds; ++round) {
    write(global, round);
    __syncthreads();
    if (threadIdx.x < 32) {
      pipe.producer_acquire();
      if (threadIdx.x == 0) static_cast<void>(cuda::memcpy_async(tile, global, tile_size(tile_bytes), pipe));
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (unsigned index = threadIdx.x - 32; index < words; index += blockDim.x - 32)
        DEVICE_CHECK(tile[place(index)] == round + index);
      pipe.consumer_release();
    }
    __syncthreads();
  }
}
TEST(by_a_pipeline) {
  run(by_pipeline);
  run(by_pipeline_with_roles);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
