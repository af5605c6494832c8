// A ring of stages that one thread fills by bulk copies and the other warps empty: parities instead of tokens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// [ring]
constexpr int stages = 4;
constexpr int tile = 1024;      // floats
constexpr int consumers = 256;  // launch 32 threads more: the last warp produces

__global__ void sum_tiles(const float* tiles, int count, float* sums) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  alignas(16) __shared__ float stage[stages][tile];
  __shared__ barrier full[stages], empty[stages];
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(full),
                          cudasync::expects<consumers>(empty));

  if (threadIdx.x >= consumers) {  // one more warp, of which one thread begins the copies
    bool parity = true;            // a new stage is empty: the wait for it returns at once
    for (int index = 0; index < count && threadIdx.x == consumers; ++index) {
      const int slot = index % stages;
      empty[slot].wait_parity(parity);
      cuda::device::fence_before_bulk_copy();  // consumers have read the slot before the copy writes it
      cuda::device::memcpy_async_tx(stage[slot], tiles + index * tile, cuda::aligned_size_t<16>(sizeof(stage[slot])),
                                    full[slot]);
      cuda::device::barrier_arrive_tx(full[slot], 1, sizeof(stage[slot]));
      if (slot == stages - 1) parity = !parity;
    }
  } else {
    bool parity = false;  // a new stage is not full: the wait for it blocks
    float sum = 0;
    for (int index = 0; index < count; ++index) {
      const int slot = index % stages;
      full[slot].wait_parity(parity);
      for (int cell = threadIdx.x; cell < tile; cell += consumers)
        sum += stage[slot][cell];
      empty[slot].arrive();
      if (slot == stages - 1) parity = !parity;
    }
    sums[threadIdx.x] = sum;
  }
}
// [end ring]
