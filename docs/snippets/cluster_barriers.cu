// Barriers of a cluster: all threads meet, arrivals and bytes for another block, multicast, and the end of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90a
#include <cuda/cluster_barrier>

#include <cooperative_groups.h>
#include <utility>

using cluster_barrier = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void publish();
__device__ void compute();
__device__ void read_others();

__device__ void split() {
  // [split]
  publish();
  auto token = cudasync::cluster_barrier::arrive();  // does not block
  compute();                                         // needs no other block
  cudasync::cluster_barrier::wait(std::move(token));
  read_others();
  // [end split]
}

__device__ void keep_time() {
  // [relaxed]
  cudasync::cluster_barrier::wait(cudasync::cluster_barrier::arrive(cudasync::memory_order_relaxed));
  // [end relaxed]
}

// [remote]
__global__ void __cluster_dims__(2) exchange(const float* in, float* out) {  // launch 256 threads a block
  __shared__ float cells[256];
  __shared__ cuda::barrier<cuda::thread_scope_cluster> filled;
  const cudasync::cluster_exit_guard guard;  // no block ends while the other reads its cells
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<256>(filled));

  const unsigned other = cluster.block_rank() ^ 1;
  cells[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
  cudasync::remote_barrier(filled, other).arrive();  // tells the other block
  filled.wait_parity(false);                         // until all threads of the other block have told this one

  const float* theirs = cooperative_groups::this_cluster().map_shared_rank(cells, other);
  out[blockIdx.x * 256 + threadIdx.x] = theirs[threadIdx.x];
}
// [end remote]

__device__ void send(cluster_barrier& bar, float* tile, const float* source, unsigned rank) {
  // [send]
  const cudasync::remote_barrier there(bar, rank);
  if (cudasync::elect_one()) {
    there.arrive_tx(4096);
    there.memcpy_async_tx(tile, source, cuda::aligned_size_t<16>(4096));
  }
  // [end send]
}

// [multicast]
__global__ void __cluster_dims__(2) share(const float* source, float* out) {  // launch 1024 threads a block
  alignas(16) __shared__ float tile[1024];
  __shared__ cuda::barrier<cuda::thread_scope_cluster> full;
  const auto cluster = cudasync::this_cluster();
  cudasync::init_barriers(cluster, cudasync::expects<1>(full));

  const unsigned half = cluster.block_rank() * 512;  // each block copies its half of the tile to both
  if (cudasync::elect_one()) {
    cuda::device::barrier_arrive_tx(full, 1, sizeof tile);  // both halves come to this block
    cudasync::device::memcpy_async_tx_to_blocks(tile + half, source + half,
                                                cuda::aligned_size_t<16>(512 * sizeof(float)), full, 0b11);
  }
  full.wait_parity(false);
  out[blockIdx.x * 1024 + threadIdx.x] = tile[threadIdx.x];
}
// [end multicast]
