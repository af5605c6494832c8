// Kernels in the checked build: with 40 registers per thread, a multiprocessor holds 1,536 threads, and with 48, 1,280.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/named_barrier.h>

// LIMIT: meet sm_90 40 registers
extern "C" __global__ void meet(int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int round = 0; round < rounds; ++round)
    bar.arrive_and_wait();
}

// LIMIT: meet_by_name sm_90 40 registers
extern "C" __global__ void meet_by_name(int rounds) {
  for (int round = 0; round < rounds; ++round)
    cudasync::named_barrier<1, 1024>::sync();
}

// LIMIT: meet_in_device sm_90 40 registers
extern "C" __global__ void meet_in_device(cuda::barrier<cuda::thread_scope_device>* bar) {
  bar->arrive_and_wait();
}

// LIMIT: take_permit sm_90 40 registers
extern "C" __global__ void take_permit(cuda::binary_semaphore<cuda::thread_scope_device>* permit) {
  permit->acquire();
  permit->release();
}

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

// LIMIT: add_tiles_of_ring sm_90 48 registers
extern "C" __global__ void add_tiles_of_ring(int tiles, const unsigned* source, unsigned* total) {
  using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<4>>;
  alignas(128) __shared__ unsigned tile[4][256];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
    ring::producer_state at;
    for (int index = 0; index < tiles; ++index, at.advance())
      pipe.acquire_and_copy(at, tile[at.index()], source + index * 256, cuda::aligned_size_t<16>(1024));
    return pipe.producer_tail(at);
  }
  unsigned sum = 0;
  ring::consumer_state at;
  for (int index = 0; index < tiles; ++index, at.advance()) {
    pipe.consumer_wait(at);
    sum += tile[at.index()][threadIdx.x];
    pipe.consumer_release(at);
  }
  atomicAdd(total, sum);
}
