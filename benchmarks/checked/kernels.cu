// Kernels that mostly synchronize, compiled for the release build and for the checked build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness.h"

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>

namespace bench { namespace {

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void arrive_and_wait(int rounds, unsigned*, const unsigned*) {
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects(bar, blockDim.x));
  for (int round = 0; round < rounds; ++round)
    bar.arrive_and_wait();
}

__global__ void arrive_then_wait_parity(int rounds, unsigned*, const unsigned*) {
  __shared__ block_barrier bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects(bar, blockDim.x));
  for (int round = 0; round < rounds; ++round) {
    static_cast<void>(bar.arrive());
    bar.wait_parity(round % 2 != 0);
  }
}

// One warp copies, and the other warps add.
template <int Bytes>
__global__ void ring(int rounds, unsigned* total, const unsigned* source) {
  constexpr int stages = 4;
  constexpr int words = Bytes / 4;
  using pipeline = cudasync::bulk_pipeline<stages, cudasync::consumer_warps<4>>;
  alignas(128) __shared__ unsigned tile[stages][words];
  __shared__ pipeline pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
    typename pipeline::producer_state at;
    for (int round = 0; round < rounds; ++round, at.advance())
      pipe.acquire_and_copy(at, tile[at.index()], source + round % 64 * words, cuda::aligned_size_t<16>(Bytes));
    pipe.producer_tail(at);
    return;
  }
  unsigned sum = 0;
  typename pipeline::consumer_state at;
  for (int round = 0; round < rounds; ++round, at.advance()) {
    pipe.consumer_wait(at);
    for (int index = static_cast<int>(threadIdx.x); index < words; index += 128)
      sum += tile[at.index()][index];
    pipe.consumer_release(at);
  }
  atomicAdd(total, sum);
}

// All threads copy and compute.
__global__ void shared_pipeline(int rounds, unsigned* total, const unsigned* source) {
  constexpr int words = 1024;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  alignas(16) __shared__ unsigned tile[2][words];
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), &state);
  unsigned sum = 0;
  const auto fetch = [&](int round) {
    pipe.producer_acquire();
    for (unsigned at = threadIdx.x * 4; at < words; at += blockDim.x * 4)
      cuda::memcpy_async(&tile[round % 2][at], source + round % 64 * words + at, cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  };
  fetch(0);
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) fetch(round + 1);
    pipe.consumer_wait();
    for (unsigned at = threadIdx.x; at < words; at += blockDim.x)
      sum += tile[round % 2][at];
    pipe.consumer_release();
  }
  atomicAdd(total, sum);
}

__global__ void named(int rounds, unsigned*, const unsigned*) {
  for (int round = 0; round < rounds; ++round)
    cudasync::named_barrier<1, 256>::sync();
}

__device__ cudasync::grid_barrier<> all_blocks;
__device__ cuda::barrier<cuda::thread_scope_device> all_threads;

__global__ void grid(int rounds, unsigned*, const unsigned*) {
  for (int round = 0; round < rounds; ++round)
    all_blocks.arrive_and_wait();
}
__global__ void device_barrier(int rounds, unsigned*, const unsigned*) {
  for (int round = 0; round < rounds; ++round)
    all_threads.arrive_and_wait();
}
__global__ void init_device_barrier(int threads) {
  init(&all_threads, threads);
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> permit{1};

__global__ void semaphore(int rounds, unsigned*, const unsigned*) {
  for (int round = 0; round < rounds; ++round) {
    permit.acquire();
    permit.release();
  }
}

const int enrolled = [] {
  const auto enroll = [](const char* operation, auto* kernel, auto* prepare) {
    contestants().push_back({"checked", operation, CUDASYNC_CHECKED ? "checked build" : "plain build",
                             CUDASYNC_CHECKED ? "ours" : hand, "native", reinterpret_cast<const void*>(kernel),
                             reinterpret_cast<const void*>(prepare)});
  };
  void (*const nothing)(int) = nullptr;
  enroll("block arrive_and_wait", arrive_and_wait, nothing);
  enroll("block arrive, wait_parity", arrive_then_wait_parity, nothing);
  enroll("bulk_pipeline 1 KiB", ring<1024>, nothing);
  enroll("bulk_pipeline 8 KiB", ring<8192>, nothing);
  enroll("cuda::pipeline 4 KiB", shared_pipeline, nothing);
  enroll("named_barrier 256", named, nothing);
  enroll("grid_barrier", grid, nothing);
  enroll("device barrier", device_barrier, init_device_barrier);
  enroll("binary_semaphore", semaphore, nothing);
  return 0;
}();

}}  // namespace bench
