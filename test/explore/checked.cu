// Kernels of the checked build that hang, and of two streams. test/python/test_explore.py runs them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cudasync/cluster_barrier.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/init_barriers.h>
#include <cudasync/named_barrier.h>
#include <cudasync/thread_block.h>

#include <cstdio>
#include <cstring>

// --- Hangs ---

__global__ void barrier() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<64>(bar));
  if (threadIdx.x != 37) bar.arrive_and_wait();
}

__global__ void parity() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<64>(bar));
  bar.wait_parity(bar.arrive() != 0);  // the line of the finding
}

__global__ void named() {
  if (threadIdx.x < 32) cudasync::named_barrier<1, 64>::sync();
}

__device__ int source[32];

__global__ void pipeline() {
  __shared__ int tiles[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const bool produces = threadIdx.x >= 32;
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state,
                                  produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int tile = 0; tile < 4; ++tile) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tiles[tile % 2][threadIdx.x % 32], &source[threadIdx.x % 32], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      if (tile == 0) pipe.consumer_release();
    }
  }
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> locks[2] = {
    cuda::binary_semaphore<cuda::thread_scope_device>(1), cuda::binary_semaphore<cuda::thread_scope_device>(1)};

__global__ void circle() {
  if (threadIdx.x != 0) return;
  locks[blockIdx.x].acquire();
  __nanosleep(100000);
  locks[1 - blockIdx.x].acquire();
}

__global__ void __cluster_dims__(2) cluster() {
  __shared__ cuda::barrier<cuda::thread_scope_cluster> ready;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<2>(ready));
  const auto rank = cudasync::this_cluster().block_rank();
  if (rank == 0 && threadIdx.x == 0) cudasync::remote_barrier(ready, 1).arrive();
  if (rank == 1) ready.wait_parity(false);
}

__device__ cudasync::grid_barrier<> all_blocks;

__global__ void grid() {
  if (blockIdx.x != 1) all_blocks.arrive_and_wait();
}

// --- Kernels that end ---

__global__ void __cluster_dims__(2) updates() {
  __shared__ cuda::barrier<cuda::thread_scope_cluster> ready;
  cudasync::init_barriers(cudasync::this_cluster(), cudasync::expects<33>(ready));
  const auto rank = cudasync::this_cluster().block_rank();
  if (rank == 0 && threadIdx.x < 32) cudasync::remote_barrier(ready, 1).arrive(threadIdx.x == 5 ? 2 : 1);
  if (rank == 1) ready.wait_parity(false);
  cudasync::this_cluster().sync();
}

__device__ int results[2][256];

// There is no room for the records of all barriers. Each launch takes and gives permits of its own.
__global__ void add(int to, int lock) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bars[3];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<64>(bars));
  for (auto& each : bars)
    each.arrive_and_wait();
  ++results[to][64 * blockIdx.x + threadIdx.x];
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  locks[lock].acquire();
  locks[lock].release();
}

int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("barrier")) barrier<<<2, 64>>>();
  if (is("parity")) parity<<<1, 64>>>();
  if (is("named")) named<<<2, 64>>>();
  if (is("pipeline")) pipeline<<<2, 64>>>();
  if (is("circle")) circle<<<2, 64>>>();
  if (is("cluster")) cluster<<<4, 64>>>();
  if (is("grid")) grid<<<3, 64>>>();
  if (is("updates")) updates<<<4, 64>>>();
  cudaStream_t streams[2];
  for (int index = 0; index < 2 && (is("apart") || is("race")); ++index) {
    cudaStreamCreateWithFlags(&streams[index], cudaStreamNonBlocking);
    add<<<4, 64, 0, streams[index]>>>(is("race") ? 0 : index, index);
  }
  const cudaError_t status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(status));
  return status != cudaSuccess;
}
