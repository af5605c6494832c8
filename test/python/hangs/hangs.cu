// Kernels that hang in a release build, each in its own way: `hangs NAME` launches one and sleeps for 60 seconds at most.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/named_barrier.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

__global__ void leaves_early(float* data) {
  __shared__ float before[5];
  __shared__ barrier bar;
  before[threadIdx.x % 5] = data[threadIdx.x];
  if (threadIdx.x == 0) init(&bar, 32);
  __syncthreads();
  if (threadIdx.x == 31) return;
  bar.arrive_and_wait();
  data[threadIdx.x] = before[0];
}

__global__ void half_of_the_bytes(float* data) {
  alignas(16) __shared__ float tile[256];
  __shared__ barrier bars[2];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bars));
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, data, cuda::aligned_size_t<16>(512), bars[1]);
    (void)cuda::device::barrier_arrive_tx(bars[1], 1, 1024);
  }
  bars[1].wait_parity(false);
  data[threadIdx.x] = tile[threadIdx.x];
}

// Both consumers keep every stage 2.
__global__ void keeps_a_stage(float* data) {
  alignas(16) __shared__ float stages[4][256];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x < 64) {
    ring::consumer_state at;
    for (int tile = 0; tile < 12; ++tile) {
      pipe.consumer_wait(at);
      data[threadIdx.x] += stages[at.index()][threadIdx.x];
      if (tile % 4 != 2) pipe.consumer_release(at);
      at.advance();
    }
  } else if (threadIdx.x == 64) {
    ring::producer_state at;
    for (int tile = 0; tile < 12; ++tile) {
      pipe.producer_acquire(at, 1024);
      pipe.copy(at, stages[at.index()], data, cuda::aligned_size_t<16>(1024));
      at.advance();
    }
  }
}

__device__ cudasync::grid_barrier<> all_blocks;

__global__ void block_leaves(float* data) {
  if (blockIdx.x == 2) return;
  all_blocks.arrive_and_wait();
  data[0] = 1;
}

__global__ void different_ids(float* data) {
  if (threadIdx.x < 64)
    cudasync::named_barrier<1, 128>::sync();
  else
    cudasync::named_barrier<2, 128>::sync();
  data[threadIdx.x] = 1;
}

__device__ cuda::atomic<unsigned, cuda::thread_scope_device> flag;
__device__ cuda::counting_semaphore<cuda::thread_scope_device> permits{0};

__global__ void no_other_thread(float* data) {
  if (blockIdx.x == 0) flag.wait(0);
  if (blockIdx.x == 1) permits.acquire();
  data[threadIdx.x] = 1;
}

// A branch that is not taken by all threads; the others wait for them at a barrier in shared memory.
__global__ void sync_in_a_branch(float* data) {
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, 128);
  __syncthreads();
  if (threadIdx.x < 64) __syncthreads();
  bar.arrive_and_wait();
  data[threadIdx.x] = 1;
}

__device__ __noinline__ void wait_here(barrier& bar) {
  bar.wait_parity(false);
}

// Many blocks, barriers in dynamic shared memory, and lanes of a warp at different calls.
__global__ void diverges(float* data) {
  extern __shared__ double space[];
  barrier* const bars = reinterpret_cast<barrier*>(space + 16);
  if (threadIdx.x == 0)
    for (int index = 0; index < 4; ++index)
      init(bars + index, 33 + index);
  __syncthreads();
  if (threadIdx.x < 32) (void)bars[threadIdx.x % 4].arrive();
  if (threadIdx.x % 32 < 8)
    bars[1].wait_parity(false);
  else
    wait_here(bars[2]);
  data[threadIdx.x] = static_cast<float>(space[0]);
}

// Each thread 0 arrives in both blocks. Block 0 expects that, and block 1 expects a third arrival.
__global__ void __cluster_dims__(2, 1, 1) in_a_cluster(float* data) {
  __shared__ cuda::barrier<cuda::thread_scope_cluster> bar;
  const bool is_first = threadIdx.x + threadIdx.y == 0;
  if (is_first) init(&bar, 2 + blockIdx.x);
  cudasync::cluster_barrier::arrive_and_wait();
  for (unsigned block = 0; is_first && block < 2; ++block)
    cudasync::remote_barrier(bar, block).arrive();
  bar.wait_parity(false);
  if (threadIdx.y == 1) bar.wait_parity(true);
  cudasync::cluster_barrier::arrive_and_wait();
  data[threadIdx.x] = 1;
}

__global__ void most_are_at_a_barrier(float* data) {
  if (threadIdx.x >= 96) return;
  if (threadIdx.x < 32) flag.wait(0);
  __syncthreads();
  data[threadIdx.x] = 1;
}

__global__ void without_init(float* data) {
  alignas(8) __shared__ float memory[2];
  if (threadIdx.x < 2) memory[threadIdx.x] = 1;
  __syncthreads();
  reinterpret_cast<barrier*>(memory)->wait_parity(false);
  data[threadIdx.x] = 1;
}

__global__ void ends(float* data) {
  data[threadIdx.x] = 1;
}

static void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(77);
}

int main(int argc, char** argv) {
  float* data = nullptr;
  check(cudaMalloc(&data, 4096));
  void* arguments[] = {&data};
  const struct {
    const char* name;
    void (*kernel)(float*);
    unsigned blocks;
    dim3 threads;
    unsigned bytes;
  } all[] = {
      {"leaves_early", leaves_early, 1, 32, 0},
      {"half_of_the_bytes", half_of_the_bytes, 1, 32, 0},
      {"keeps_a_stage", keeps_a_stage, 2, 96, 0},
      {"different_ids", different_ids, 1, 128, 0},
      {"no_other_thread", no_other_thread, 2, 1, 0},
      {"sync_in_a_branch", sync_in_a_branch, 1, 128, 0},
      {"diverges", diverges, 100, 64, 160},
      {"in_a_cluster", in_a_cluster, 2, dim3(32, 2), 0},
      {"most_are_at_a_barrier", most_are_at_a_barrier, 1, 128, 0},
      {"without_init", without_init, 1, 32, 0},
      {"ends", ends, 1, 32, 0},
  };
  const char* const name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "block_leaves") == 0)
    check(cudaLaunchCooperativeKernel(block_leaves, dim3(4), dim3(64), arguments));
  for (const auto& each : all)
    if (std::strcmp(name, each.name) == 0)
      check(cudaLaunchKernel(each.kernel, dim3(each.blocks), each.threads, arguments, each.bytes));
  std::puts("launched");
  std::fflush(stdout);
  sleep(60);
  std::_Exit(0);
}
