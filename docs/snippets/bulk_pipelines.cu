// bulk_pipeline and bulk_store: a ring from global to shared memory, and one on the way back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// [ring]
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<8>>;  // four stages; eight warps consume them

__global__ void sum_tiles(const float* tiles, int count, float* sums) {  // launch 9 warps
  alignas(16) __shared__ float stage[4][1024];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());

  if (threadIdx.x >= 256) {  // the last warp produces, by one thread
    if (!cudasync::elect_one_of_warp()) return;
    ring::producer_state at;
    for (int tile = 0; tile < count; ++tile, at.advance()) {
      pipe.producer_acquire(at, sizeof stage[0]);
      pipe.copy(at, stage[at.index()], tiles + tile * 1024, cuda::aligned_size_t<16>(sizeof stage[0]));
    }
  } else {
    float sum = 0;
    ring::consumer_state at;
    for (int tile = 0; tile < count; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      for (int cell = threadIdx.x; cell < 1024; cell += 256)
        sum += stage[at.index()][cell];
      pipe.consumer_release(at);
    }
    sums[threadIdx.x] = sum;
  }
}
// [end ring]

__device__ void box(ring& pipe, ring::producer_state at, float* stage, const CUtensorMap* map, int row, int column) {
  // [box]
  pipe.producer_acquire(at, 64 * 16 * sizeof(float));  // the whole box, even where it hangs over the edge
  pipe.copy(at, stage, map, {column, row});            // the innermost dimension first
  // [end box]
}

__device__ bool do_something_else();

__device__ void poll(ring& pipe, ring::consumer_state at) {
  // [poll]
  while (!pipe.try_consumer_wait(at))
    do_something_else();
  // [end poll]
}

__device__ void store(float* destination, float (&tile)[1024], float value) {
  // [store]
  const bool is_storing = cudasync::elect_one();  // once: groups belong to the thread
  tile[threadIdx.x] = value;
  __syncthreads();
  if (is_storing) {
    cuda::device::fence_before_bulk_copy();
    cudasync::device::bulk_store(destination, tile, cuda::aligned_size_t<16>(sizeof tile));
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait_read();  // before the block ends, or tile is written again
  }
  // [end store]
}

// [store ring]
__global__ void fill(float* data, int tiles) {  // launch 256 threads
  alignas(16) __shared__ float stage[3][256];
  cudasync::bulk_store_ring<3> ring;
  const bool is_storing = cudasync::elect_one();

  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (is_storing) ring.acquire();  // what was stored three tiles ago has left the stage
    __syncthreads();
    stage[ring.index()][threadIdx.x] = static_cast<float>(tile);
    __syncthreads();
    if (is_storing) {
      cuda::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(data + tile * 256, stage[ring.index()], cuda::aligned_size_t<16>(sizeof stage[0]));
      ring.commit();
    } else {
      ring.skip();
    }
  }
  if (is_storing) ring.drain();
}
// [end store ring]

__device__ void prefetch(const float* next, size_t bytes) {
  // [prefetch]
  cudasync::device::prefetch_to_l2(next, cuda::aligned_size_t<16>(bytes));
  // [end prefetch]
}
