// Tiles in global memory that all threads of a block store to, over and over, before a copy of them begins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_SUPPORT_STORED_TILES_H
#define CUDASYNC_TEST_SUPPORT_STORED_TILES_H

#include "gpu_test.h"

#include <cuda/barrier>

namespace stored_tiles {

constexpr unsigned threads = 256;
constexpr unsigned words = 2048;  // of a tile
constexpr unsigned rounds = 1000;
constexpr unsigned tile_bytes = words * sizeof(unsigned);
using tile_size = cuda::aligned_size_t<16>;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

// Lanes of a warp store to different lines, so that stores queue up.
__device__ inline unsigned place(unsigned index) {
  return index % (words / 32) * 32 + index / (words / 32);
}

// All threads write a tile, which has other words in each round.
__device__ inline void write(unsigned* tile, unsigned round) {
  for (unsigned index = threadIdx.x; index < words; index += threads)
    tile[place(index)] = round + index;
}
__device__ inline void check(const unsigned* tile, unsigned round) {
  for (unsigned index = threadIdx.x; index < words; index += threads)
    DEVICE_CHECK(tile[place(index)] == round + index);
}

// Several blocks a multiprocessor, so that stores wait for others; each has a tile.
template <class Kernel>
void run(Kernel kernel) {
  const unsigned blocks = gpu_test::resident_blocks(kernel, threads);
  const gpu_test::device_array<unsigned> global(blocks * words);
  gpu_test::run(kernel, {blocks, threads}, global.get());
}

}  // namespace stored_tiles

#endif
