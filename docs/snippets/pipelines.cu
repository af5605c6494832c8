// cuda::pipeline: the forms of make_pipeline, and how a thread leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/pipeline>

#include <cuda/std/chrono>

__device__ float results[1024];
__device__ void use(const float* tile) {
  results[threadIdx.x] += tile[threadIdx.x];
}

// [unified]
constexpr size_t tile = 1024;  // floats

__global__ void unified(const float* data, size_t tiles) {
  alignas(16) __shared__ float stage[2][tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cudasync::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);

  for (size_t next = 0, current = 0; current < tiles; ++current) {
    for (; next < tiles && next < current + 2; ++next) {  // keep both stages busy
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[next % 2], data + next * tile, cuda::aligned_size_t<16>(sizeof stage[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    use(stage[current % 2]);
    pipe.consumer_release();
  }
}
// [end unified]

// [partitioned]
__global__ void partitioned(const float* data, size_t tiles) {
  alignas(16) __shared__ float stage[2][tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, 1);  // thread 0 is the producer

  for (size_t current = 0; current < tiles; ++current)
    if (threadIdx.x == 0) {
      pipe.producer_acquire();
      cuda::memcpy_async(stage[current % 2], data + current * tile, cuda::aligned_size_t<16>(sizeof stage[0]), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      use(stage[current % 2]);
      pipe.consumer_release();
    }
}
// [end partitioned]

// [thread]
__global__ void one_thread(const float4* data, size_t rows) {
  __shared__ float4 stage[4][256];  // one column a thread
  auto pipe = cuda::make_pipeline();
  for (size_t next = 0, current = 0; current < rows; ++current) {
    for (; next < current + 4; ++next) {
      pipe.producer_acquire();
      if (next < rows)
        cuda::memcpy_async(&stage[next % 4][threadIdx.x], &data[next * 256 + threadIdx.x], sizeof(float4), pipe);
      pipe.producer_commit();  // an empty stage at the end, so that there are always four
    }
    cuda::pipeline_consumer_wait_prior<3>(pipe);  // all but the latest three are complete
    results[threadIdx.x] += stage[current % 4][threadIdx.x].x;
  }
}
// [end thread]

__device__ void share(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
  // [role]
  const auto role = threadIdx.x % 32 == 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state, role);
  // [end role]
  static_cast<void>(pipe);
}

__device__ bool has_more_work();

__device__ void leave(cuda::pipeline<cuda::thread_scope_block>& pipe, float* tile) {
  // [quit]
  while (has_more_work()) {
    pipe.consumer_wait();
    use(tile);
    pipe.consumer_release();
  }
  pipe.quit();  // the others go on without this thread
  // [end quit]
}

__device__ bool limited(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  // [timed]
  return pipe.consumer_wait_for(cuda::std::chrono::microseconds(50));
  // [end timed]
}

__device__ void commit_to_barrier(cuda::pipeline<cuda::thread_scope_thread>& pipe,
                                  cuda::barrier<cuda::thread_scope_block>& bar, float* tile, const float* source) {
  // [commit to barrier]
  cuda::memcpy_async(tile, source, 64, pipe);
  cuda::pipeline_producer_commit(pipe, bar);
  bar.arrive_and_wait();  // what all threads have copied is there
  // [end commit to barrier]
}
