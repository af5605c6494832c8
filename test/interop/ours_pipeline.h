// Included after others' headers: a kernel with our pipelines, and proof that cuda::pipeline and its names are ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

#include "ours_atomic.h"

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;
using thread_pipeline = cuda::pipeline<cuda::thread_scope_thread>;
static_assert(is_same<block_pipeline, cudasync::pipeline<cudasync::thread_scope_block>>, "");
static_assert(is_same<thread_pipeline, cudasync::pipeline<cudasync::thread_scope_thread>>, "");
static_assert(is_same<cuda::pipeline_role, cudasync::pipeline_role>, "");

// The layout is CCCL's: objects of templates that do not name our types may meet in one program.
static_assert(sizeof(block_pipeline) == 16 && sizeof(thread_pipeline) == 2, "");
static_assert(sizeof(cuda::pipeline_shared_state<cuda::thread_scope_block, 1>) == 24, "");
static_assert(sizeof(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>) == 40, "");

// Anything with these three members is a group.
struct whole_block {
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned size() { return blockDim.x; }
  __device__ static unsigned thread_rank() { return threadIdx.x; }
};

template <class Pipeline>
__device__ int produce_and_consume(Pipeline& pipe, int* tile, const int* data) {
  pipe.producer_acquire();
  cuda::memcpy_async(whole_block{}, tile, data, sizeof(int) * blockDim.x, pipe);
  cuda::memcpy_async(tile, data, cuda::aligned_size_t<16>(16), pipe);
  cuda::memcpy_async(static_cast<void*>(tile), static_cast<const void*>(data), 16, pipe);
  pipe.producer_commit();
  const bool in_time = pipe.consumer_wait_for(cuda::std::chrono::seconds(1)) &&
                       pipe.consumer_wait_until(cuda::std::chrono::system_clock::now() + cuda::std::chrono::hours(1));
  pipe.consumer_wait();
  const int result = tile[threadIdx.x];
  pipe.consumer_release();
  return in_time && pipe.quit() ? result : 0;
}

__global__ void kernel_with_pipelines(int* data, cuda::pipeline_shared_state<cuda::thread_scope_device, 3>* in_grid) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ block_barrier bar;
  alignas(16) __shared__ int tile[128];
  const whole_block group;
  block_pipeline unified = cuda::make_pipeline(group, &state);
  data[0] = produce_and_consume(unified, tile, data);
  block_pipeline partitioned = make_pipeline(group, &state, group.size() / 2);
  partitioned.quit();
  const bool is_even = threadIdx.x % 2 == 0;
  auto with_roles =
      cuda::make_pipeline(group, in_grid, is_even ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  with_roles.quit();

  thread_pipeline alone = cuda::make_pipeline();
  data[1] = produce_and_consume(alone, tile, data);
  cuda::pipeline_consumer_wait_prior<1>(alone);
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  const cuda::async_contract_fulfillment how = cuda::memcpy_async(tile, data, 16, alone);
  pipeline_producer_commit(alone, bar);
  bar.arrive_and_wait();
  data[2] = how == cuda::async_contract_fulfillment::async;
}
