// bulk_pipeline of a cluster, whose blocks share copies by multicast.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90a
#include <cuda/pipeline>

// [cluster]
using shared_ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<8>, 2>;  // in clusters of two blocks

__global__ void __cluster_dims__(2) multiply_tiles(const float* tiles, int count, float* sums) {  // launch 9 warps
  alignas(16) __shared__ float stage[4][1024];
  __shared__ shared_ring pipe;
  const auto cluster = cudasync::this_cluster();
  pipe.init(cluster);

  if (threadIdx.x >= 256) {
    if (!cudasync::elect_one_of_warp()) return;
    const unsigned half = cluster.block_rank() * 512;  // each block copies its half of a tile to both
    shared_ring::producer_state at;
    for (int tile = 0; tile < count; ++tile, at.advance()) {
      pipe.producer_acquire(at, sizeof stage[0]);  // both halves come to this block
      pipe.copy_to_blocks(at, stage[at.index()] + half, tiles + tile * 1024 + half,
                          cuda::aligned_size_t<16>(512 * sizeof(float)), 0b11);
    }
    pipe.producer_tail(at);  // the other block still releases stages here
  } else {
    float product = 1;
    shared_ring::consumer_state at;
    for (int tile = 0; tile < count; ++tile, at.advance()) {
      pipe.consumer_wait(at);
      for (int cell = threadIdx.x; cell < 1024; cell += 256)
        product *= stage[at.index()][cell];
      pipe.consumer_release(at);  // in both blocks
    }
    sums[blockIdx.x * 256 + threadIdx.x] = product;
  }
}
// [end cluster]
