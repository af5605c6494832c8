// A barrier of blocks: those of a grid, some of them, and those of several GPUs with a thread of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/grid_barrier>

#include <utility>

__device__ void publish();
__device__ void compute();
__device__ void read_others();

// [grid]
__device__ cudasync::grid_barrier<> bar;  // zero bytes are a barrier ready for use

__global__ void smooth(float* from, float* to, int rounds) {
  const unsigned cells = gridDim.x * blockDim.x;
  const unsigned cell = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    to[cell] = (from[cell] + from[(cell + 1) % cells]) / 2;
    bar.arrive_and_wait();  // all threads of all blocks
    float* const written = to;
    to = from;
    from = written;
  }
}

cudaError_t launch(float* from, float* to, int rounds, unsigned blocks) {
  void* arguments[] = {&from, &to, &rounds};
  return cudaLaunchCooperativeKernel(smooth, blocks, 256, arguments);  // an error if they do not fit together
}
// [end grid]

__device__ void split() {
  // [split]
  publish();
  auto token = bar.arrive();  // the block's threads wait for one another alone
  compute();
  bar.wait(std::move(token));
  read_others();
  // [end split]
}

// [some]
__device__ cudasync::grid_barrier<> of_even_blocks;

__device__ void even_blocks_meet() {
  if (blockIdx.x % 2 == 0) of_even_blocks.arrive_and_wait(cudasync::participant{blockIdx.x / 2, (gridDim.x + 1) / 2});
}
// [end some]

// [system]
using system_barrier = cudasync::grid_barrier<cudasync::thread_scope_system>;

__global__ void on_gpu(system_barrier* meeting, unsigned gpu, unsigned gpus) {  // a grid for each GPU
  const unsigned rank = 1 + gpu * gridDim.x + blockIdx.x;
  meeting->arrive_and_wait(cudasync::participant{rank, 1 + gpus * gridDim.x});
}

void on_host(system_barrier* meeting, unsigned blocks, unsigned gpus) {
  meeting->arrive_and_wait(cudasync::participant{0, 1 + gpus * blocks});
}
// [end system]
