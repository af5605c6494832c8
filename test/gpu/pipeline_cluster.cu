// cuda::pipeline and memcpy_async of a block, where the block is one of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// needs: sm90
#include "../support/gpu_test.h"
#include "../support/pipeline_stream.h"

#include <cuda/pipeline>

using gpu_test::device_array;

// Blocks are at different places of the stream.
template <unsigned char Stages>
__global__ void stream_in_cluster(stream what, const unsigned char* source) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  what.from += blockIdx.x * 16;
  what.tiles += blockIdx.x % 5;
  stream_in_block(what, source, buffers, &state);
}
template <unsigned char Stages>
void run_stages(stream what, unsigned cluster, const unsigned char* source) {
  what.stages = Stages;
  gpu_test::shape how{8 * cluster, 128, what.bytes()};
  how.cluster = cluster;
  gpu_test::run(stream_in_cluster<Stages>, how, what, source);
}
void run_cluster(unsigned cluster) {
  const device_array<unsigned char> source(source_bytes(stream_source_size));
  for (const fill_by how : {fill_by::group_copy, fill_by::own_copies, fill_by::one_thread, fill_by::stores_and_copies})
    for (const unsigned producers : {0u, 32u}) {
      stream what;
      what.how = how;
      what.producers = producers;
      run_stages<1>(what, cluster, source.get());
      run_stages<3>(what, cluster, source.get());
    }
}
TEST(pipelines_in_clusters_of_2_blocks) {
  run_cluster(2);
}
TEST(pipelines_in_clusters_of_4_blocks) {
  run_cluster(4);
}

// Copies on a barrier of each block, several phases.
__global__ void copy_in_cluster(const unsigned char* source, unsigned size, unsigned phases) {
  extern __shared__ __align__(128) unsigned char buffers[];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  const thread_group block{threadIdx.x, blockDim.x};
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (unsigned phase = 0; phase < phases; ++phase) {
    unsigned char* const buffer = buffers + phase % 2 * 4096;
    const copied what{0, size, (phase * 32 + blockIdx.x) * size_t{16}, size, size, phase};
    if (phase % 3 == 0) {
      if (threadIdx.x == phase % blockDim.x)
        static_cast<void>(cuda::memcpy_async(buffer, source + what.source, size_t{size}, bar));
    } else {
      static_cast<void>(cuda::memcpy_async(block, buffer, source + what.source, size_t{size}, bar));
    }
    bar.arrive_and_wait();
    DEVICE_CHECK(is_right(buffer, what, {blockDim.x - 1 - threadIdx.x, blockDim.x}));
  }
}
TEST(copies_on_barriers_of_blocks_in_a_cluster) {
  const device_array<unsigned char> source(source_bytes(stream_source_size));
  for (const unsigned size : {4u, 100u, 128u, 256u, 1000u, 4096u}) {
    gpu_test::shape how{16, 64, 8192};
    how.cluster = 4;
    gpu_test::run(copy_in_cluster, how, source.get(), size, 100u);
  }
}

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
