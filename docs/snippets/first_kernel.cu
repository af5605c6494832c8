// The first kernel of the guide and the README: threads publish a value, arrive, work, wait, and read their neighbour's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// [kernel]
#include <cuda/barrier>

#include <utility>

__global__ void add_neighbour(float* data) {
  __shared__ float cells[256];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<256>(bar));

  cells[threadIdx.x] = data[threadIdx.x];
  auto token = bar.arrive();   // does not block: what needs no other thread's cell goes here
  bar.wait(std::move(token));  // now all 256 cells are visible
  data[threadIdx.x] += cells[(threadIdx.x + 1) % 256];
}
// [end kernel]
