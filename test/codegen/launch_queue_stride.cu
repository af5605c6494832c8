// Where launches cannot be canceled, a queue of tiles is a loop with the stride of the grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 75 80 90
// NVCC: 80
// SASS-LABEL: ours_work:
// SASS-NOT: SYNCS
#include <cuda/work_stealing>

using queue = cudasync::launch_queue<2, cudasync::consumer_warps<3>>;

extern "C" {

__global__ void ours_work(float* out, unsigned tiles) {
  __shared__ queue shared;
  shared.init(cudasync::this_thread_block());
  if (threadIdx.x == 96) shared.run_scheduler();
  queue::consumer_state at(tiles);
  while (!at.is_done()) {
    out[at.index()] += 1;
    shared.next(at);
  }
}
__global__ void hand_work(float* out, unsigned tiles) {
  __syncthreads();
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    out[tile] += 1;
}

}  // extern "C"
