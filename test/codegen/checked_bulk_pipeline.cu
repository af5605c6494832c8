// A ring of bulk copies in the checked build: the registers of checked_registers.cu.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90
// OPTIONS: -DCUDASYNC_CHECKED=1
#include <cuda/pipeline>

// LIMIT: add_tiles_of_ring sm_90 48 registers
extern "C" __global__ void add_tiles_of_ring(int tiles, const unsigned* source, unsigned* total) {
  using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<4>>;
  alignas(128) __shared__ unsigned tile[4][256];
  __shared__ ring pipe;
  pipe.init(cudasync::this_thread_block());
  if (threadIdx.x >= 128) {
    if (threadIdx.x != 128) return;
    ring::producer_state at;
    for (int index = 0; index < tiles; ++index, at.advance())
      pipe.acquire_and_copy(at, tile[at.index()], source + index * 256, cuda::aligned_size_t<16>(1024));
    return pipe.producer_tail(at);
  }
  unsigned sum = 0;
  ring::consumer_state at;
  for (int index = 0; index < tiles; ++index, at.advance()) {
    pipe.consumer_wait(at);
    sum += tile[at.index()][threadIdx.x];
    pipe.consumer_release(at);
  }
  atomicAdd(total, sum);
}
