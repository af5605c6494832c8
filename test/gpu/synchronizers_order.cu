// What threads write before they synchronize is there afterwards, by every synchronizer, in shared and in global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../support/gpu_test.h"
#include "../support/synchronizers.h"

using gpu_test::device_array;

template <class Way>
__global__ void exchange_in_block(unsigned* data) {
  __shared__ Way way;
  if (threadIdx.x == 0) way.init_for(blockDim.x);
  __syncthreads();
  exchange(way, data + blockIdx.x * 2 * blockDim.x, threadIdx.x, blockDim.x);
}

template <class Way>
__global__ void exchange_in_global_memory(Way* ways, unsigned* data) {
  if (threadIdx.x == 0) ways[blockIdx.x].init_for(blockDim.x);
  __syncthreads();
  exchange(ways[blockIdx.x], data + blockIdx.x * 2 * blockDim.x, threadIdx.x, blockDim.x);
}

constexpr unsigned grid = 264;

template <class Way>
void check_in_blocks(unsigned threads) {
  const device_array<unsigned> data(grid * 2 * threads, 0xff);
  const device_array<Way> ways(grid);
  gpu_test::run(exchange_in_block<Way>, {grid, threads}, data.get());
  gpu_test::run(exchange_in_global_memory<Way>, {grid, threads}, ways.get(), data.get());
}

using cuda::thread_scope_block;
using cuda::thread_scope_device;
using cuda::thread_scope_system;

template <class Barrier>
void check_barriers() {
  for (const unsigned threads : {128u, 256u}) {
    check_in_blocks<barrier_of<Barrier, form::together>>(threads);
    check_in_blocks<barrier_of<Barrier, form::by_token>>(threads);
    check_in_blocks<barrier_of<Barrier, form::by_parity>>(threads);
  }
}
TEST(barriers_in_a_block) {
  check_barriers<cuda::barrier<thread_scope_block>>();
  check_barriers<cuda::barrier<thread_scope_device>>();
  check_barriers<cuda::barrier<thread_scope_system>>();
  check_barriers<cuda::std::barrier<>>();
}
TEST(barriers_with_a_function_in_a_block) {
  check_barriers<cuda::barrier<thread_scope_block, nothing>>();
  check_barriers<cuda::barrier<thread_scope_device, nothing>>();
  check_barriers<cuda::std::barrier<nothing>>();
}
TEST(latches_in_a_block) {
  check_in_blocks<latches_of<thread_scope_block, form::together>>(256);
  check_in_blocks<latches_of<thread_scope_block, form::by_token>>(256);
  check_in_blocks<latches_of<thread_scope_device, form::together>>(256);
  check_in_blocks<latches_of<thread_scope_device, form::by_token>>(256);
}
TEST(semaphores_in_a_block) {
  check_in_blocks<semaphores_of<thread_scope_block>>(64);
  check_in_blocks<semaphores_of<thread_scope_device>>(64);
  check_in_blocks<binary_semaphores_of<thread_scope_block>>(32);
  check_in_blocks<binary_semaphores_of<thread_scope_device>>(32);
}

TEST(pipelines_in_a_block) {
  check_in_blocks<pipeline_of<thread_scope_block>>(256);
  check_in_blocks<pipeline_of<thread_scope_device>>(256);
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
