// Uses of memcpy_async with a barrier: gathered elements and rows, tiles with a pitch, stencils and results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elements.h"
#include "library.h"

namespace bench { namespace {

// Each thread gathers an element by an index, and uses that of its neighbor.
template <class Element, int Threads>
__global__ void gather(const memory* of, int rounds) {
  __shared__ alignas(16) Element slots[Threads];
  __shared__ block_barrier bar;
  const int thread = threadIdx.x;
  if (thread == 0) init(&bar, Threads);
  __syncthreads();
  u32 sum = 0, at = thread_of_grid<Threads>();
  for (int round = 0; round < rounds; ++round, at += gridDim.x * Threads) {
    copy<alignof(Element)>(&slots[thread], &of->data_as<Element>()[of->indices[at & 0xffff] & 0xffff], bar);
    track<alignof(Element)>(bar);
    auto token = bar.arrive();
    sum = work(sum);
    bar.wait(std::move(token));
    sum += slots[(thread + 1) % Threads].folded();
    bar.arrive_and_wait();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Tiles of cooperative groups gather rows of given.pitch words. Each tile has a barrier.
template <class Value, int Tile, int Words, int Threads>
__global__ void gather_rows(const memory* of, int rounds) {
  constexpr int tiles = Threads / Tile;
  __shared__ alignas(16) u32 rows[tiles][Words + (sizeof(Value) == 4 ? 1 : 0)];
  __shared__ block_barrier bars[tiles];
  const auto tile = groups::tiled_partition<Tile>(groups::this_thread_block());
  const int number = threadIdx.x / Tile;
  const int rank = static_cast<int>(tile.thread_rank());
  block_barrier& bar = bars[number];
  if (rank == 0) init(&bar, Tile);
  __syncthreads();
  u32 sum = 0, at = blockIdx.x * tiles + number;
  const u32 pitch = of->given.pitch;
  for (int round = 0; round < rounds; ++round, at += gridDim.x * tiles) {
    const u32* const from = of->data_as<u32>() + std::size_t{of->indices[at & 0xffff] & 0xfff} * pitch;
    Value* const to = reinterpret_cast<Value*>(rows[number]);
    copy<sizeof(Value)>(tile, to, reinterpret_cast<const Value*>(from), std::size_t{Words * 4}, bar);
    track<sizeof(Value)>(bar);
    auto token = bar.arrive();
    sum = work(sum);
    bar.wait(std::move(token));
    for (int word = rank; word < Words; word += Tile)
      sum = sum * 3 + rows[number][Words - 1 - word];
    tile.sync();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A tile of an image with a pitch and a border. Each warp copies rows, and the block has a barrier.
template <class Value, int Width, int Height, int Threads>
__global__ void tile_of_image(const memory* of, int rounds) {
  __shared__ alignas(16) Value cells[Height][Width];
  __shared__ block_barrier bar;
  const auto warp = groups::tiled_partition<32>(groups::this_thread_block());
  if (threadIdx.x == 0) init(&bar, Threads);
  __syncthreads();
  const Value* const image = of->data_as<Value>() + 1;
  const u32 pitch = of->given.pitch, columns = of->given.mask;
  u32 sum = 0, tile = blockIdx.x;
  for (int round = 0; round < rounds; ++round, tile += gridDim.x) {
    const Value* const from = image + tile / columns % 16 * (Height - 2) * pitch + tile % columns * (Width - 2);
    for (int row = threadIdx.x / 32; row < Height; row += Threads / 32)
      copy<sizeof(Value)>(warp, cells[row], from + row * pitch, sizeof(cells[row]), bar);
    track<sizeof(Value)>(bar);
    auto token = bar.arrive();
    sum = work<2>(sum);
    bar.wait(std::move(token));
    for (int cell = threadIdx.x; cell < (Width - 2) * (Height - 2); cell += Threads) {
      const int x = cell % (Width - 2) + 1, y = cell / (Width - 2) + 1;
      sum += cells[y][x - 1] + cells[y][x + 1] * 3 + cells[y - 1][x] * 5 + cells[y + 1][x] * 7;
    }
    bar.arrive_and_wait();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// A stencil of one dimension, whose source is not aligned to 16 bytes. The block copies the cells, or each thread copies
// its own and the first and last ones also those of the border.
template <int Border, bool IsByThread, int Threads>
__global__ void stencil(const memory* of, int rounds) {
  __shared__ alignas(16) u32 cells[Threads + 2 * Border];
  __shared__ block_barrier bar;
  const auto block = groups::this_thread_block();
  const int thread = threadIdx.x;
  if (thread == 0) init(&bar, Threads);
  __syncthreads();
  u32 sum = 0, tile = blockIdx.x;
  for (int round = 0; round < rounds; ++round, tile += gridDim.x) {
    const u32* const from = of->data_as<u32>() + tile % of->given.mask * Threads + 16 - Border;
    if constexpr (IsByThread) {
      copy<4>(&cells[thread + Border], from + thread + Border, bar);
      if (thread < Border) copy<4>(&cells[thread], from + thread, bar);
      if (thread >= Threads - Border) copy<4>(&cells[thread + 2 * Border], from + thread + 2 * Border, bar);
    } else {
      copy<4>(block, cells, from, sizeof(cells), bar);
    }
    track<4>(bar);
    auto token = bar.arrive();
    sum = work<2>(sum);
    bar.wait(std::move(token));
#pragma unroll
    for (int offset = 0; offset <= 2 * Border; ++offset)
      sum = sum * 3 + cells[thread + offset];
    bar.arrive_and_wait();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// The block copies given.bytes, from a source that is given.pitch bytes behind the start.
template <class Value, int Threads>
__global__ void size_at_run_time(const memory* of, int rounds) {
  extern __shared__ uint4 dynamic[];
  __shared__ block_barrier bar;
  const auto block = groups::this_thread_block();
  if (threadIdx.x == 0) init(&bar, Threads);
  __syncthreads();
  const std::size_t bytes = of->given.bytes;
  const char* const in = of->data + of->given.pitch;
  Value* const cells = reinterpret_cast<Value*>(dynamic);
  u32 sum = 0, tile = blockIdx.x;
  for (int round = 0; round < rounds; ++round, tile += gridDim.x) {
    const char* const from = in + std::size_t{tile % of->given.mask} * 20480;
    copy<sizeof(Value)>(block, cells, reinterpret_cast<const Value*>(from), bytes, bar);
    track<sizeof(Value)>(bar);
    auto token = bar.arrive();
    sum = work<2>(sum);
    bar.wait(std::move(token));
    for (u32 word = threadIdx.x; word < bytes / 4; word += Threads)
      sum = sum * 3 + reinterpret_cast<const u32*>(dynamic)[word];
    bar.arrive_and_wait();
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// One thread copies a row for the block.
template <int Bytes, int Threads>
__global__ void one_thread_copies(const memory* of, int rounds) {
  __shared__ alignas(128) uint4 rows[2][Bytes / 16];
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, Threads);
  __syncthreads();
  u32 sum = 0, tile = blockIdx.x;
  for (int round = 0; round < rounds; ++round, tile += gridDim.x) {
    uint4* const row = rows[round % 2];
    if (threadIdx.x == 0)
      copy_row<Bytes>(row, of->data_as<uint4>() + std::size_t{tile % of->given.mask} * (Bytes / 16), bar);
    auto token = bar.arrive();
    sum = work<2>(sum);
    bar.wait(std::move(token));
    sum = sum * 3 + reinterpret_cast<const u32*>(row)[threadIdx.x * 5 % (Bytes / 4)];
  }
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

// Results of a block are copied from shared to global memory.
template <class Value, int Threads>
__global__ void copy_results(const memory* of, int rounds) {
  __shared__ alignas(16) Value cells[Threads];
  __shared__ block_barrier bar;
  const auto block = groups::this_thread_block();
  if (threadIdx.x == 0) init(&bar, Threads);
  __syncthreads();
  u32* const mine = reinterpret_cast<u32*>(&cells[threadIdx.x]);
  for (u32 round = 0, tile = blockIdx.x; round < static_cast<u32>(rounds); ++round, tile += gridDim.x) {
    for (u32 word = 0; word < sizeof(Value) / 4; ++word)
      mine[word] = message(tile % 264, threadIdx.x + word);
    bar.arrive_and_wait();
    copy_out(block, of->results_as<Value>() + tile % 264 * Threads, cells, sizeof(cells), bar);
    bar.arrive_and_wait();
  }
}

// Rows of two operands are copied in advance. One barrier counts both copies.
template <int Bytes, int Threads>
__global__ void two_operands(const memory* of, int rounds) {
  constexpr int words = Bytes / 4;
  __shared__ alignas(16) float left[2][words], right[2][words];
  __shared__ block_barrier bars[2];
  const auto block = groups::this_thread_block();
  if (threadIdx.x < 2) init(&bars[threadIdx.x], Threads);
  __syncthreads();
  const float* const lefts = of->data_as<float>();
  const float* const rights = reinterpret_cast<const float*>(of->indices);
  u32 sum = 0, tile = blockIdx.x;
  const auto begin = [&](int stage, u32 of_tile) {
    copy<16>(block, left[stage], lefts + std::size_t{of_tile % of->given.mask} * words, Bytes, bars[stage]);
    copy<16>(block, right[stage], rights + std::size_t{of_tile % of->given.mask} * words, Bytes, bars[stage]);
    track<16>(bars[stage]);
  };
  begin(0, tile);
  for (int round = 0; round < rounds; ++round, tile += gridDim.x) {
    const int stage = round % 2;
    begin(stage ^ 1, tile + gridDim.x);
    bars[stage].arrive_and_wait();
    for (int word = threadIdx.x; word < words; word += Threads)
      sum = sum * 3 + __float_as_uint(left[stage][word]) * __float_as_uint(right[stage][words - 1 - word]);
    __syncthreads();
  }
  bars[rounds % 2].arrive_and_wait();
  of->results_as<u32>()[thread_of_grid<Threads>()] = sum;
}

void enroll_elements() {
  enroll("copies: gather of 6 bytes", {{gather<halves_of<3>, 256>, 132, 256}});
  enroll("copies: gather of 12 bytes", {{gather<words_of<3>, 128>, 1, 128}, {gather<words_of<3>, 256>, 528, 256}});
  enroll("copies: gather of 20 bytes", {{gather<words_of<5>, 256>, 132, 256}});
  enroll("copies: gather of 24 bytes",
         {{gather<aligned_words_of<8, 6>, 32>, 132, 32}, {gather<aligned_words_of<8, 6>, 512>, 132, 512}});
  enroll("copies: gather of 28 bytes", {{gather<words_of<7>, 128>, 132, 128}});
  enroll("copies: gather of 48 bytes",
         {{gather<aligned_words_of<16, 12>, 64>, 132, 64}, {gather<aligned_words_of<16, 12>, 256>, 132, 256}});
}

void enroll_rows() {
  const numbers pitch_64{0, 0, 64}, pitch_101{0, 0, 101}, pitch_128{0, 0, 128};
  enroll("copies: rows of 64 bytes, 4 threads, float", {{gather_rows<float, 4, 16, 128>, 132, 128, 0, pitch_64}});
  enroll("copies: rows of 64 bytes, 4 threads, float4", {{gather_rows<float4, 4, 16, 128>, 132, 128, 0, pitch_64}});
  enroll("copies: rows of 100 bytes, 16 threads, float", {{gather_rows<float, 16, 25, 256>, 132, 256, 0, pitch_101}});
  enroll("copies: rows of 256 bytes, 16 threads, float2", {{gather_rows<float2, 16, 64, 256>, 132, 256, 0, pitch_64}});
  enroll("copies: rows of 128 bytes, float", {{gather_rows<float, 32, 32, 256>, 132, 256, 0, pitch_64}});
  enroll("copies: rows of 192 bytes, float2", {{gather_rows<float2, 32, 48, 512>, 132, 512, 0, pitch_64}});
  enroll("copies: rows of 256 bytes, float4", {{gather_rows<float4, 32, 64, 256>, 528, 256, 0, pitch_64}});
  enroll("copies: rows of 404 bytes, float", {{gather_rows<float, 32, 101, 128>, 132, 128, 0, pitch_101}});
  enroll("copies: rows of 512 bytes, float", {{gather_rows<float, 32, 128, 256>, 132, 256, 0, pitch_128}});
  enroll("copies: rows of 512 bytes, float4", {{gather_rows<float4, 32, 128, 1024>, 132, 1024, 0, pitch_128}});
  const numbers pitch_1003{0, 30, 1003}, pitch_1024{0, 14, 1024};
  enroll("copies: image, 34 x 18 u32", {{tile_of_image<u32, 34, 18, 256>, 132, 256, 0, pitch_1003}});
  enroll("copies: image, 66 x 10 u32", {{tile_of_image<u32, 66, 10, 128>, 528, 128, 0, pitch_1024}});
  enroll("copies: image, 66 x 18 u16", {{tile_of_image<unsigned short, 66, 18, 256>, 132, 256, 0, pitch_1003}});
  enroll("copies: image, 70 x 34 u8", {{tile_of_image<unsigned char, 70, 34, 256>, 132, 256, 0, pitch_1003}});
}

void enroll_blocks() {
  const numbers tiles{0, 4000, 0};
  enroll("copies: stencil, border 1",
         {{stencil<1, false, 128>, 132, 128, 0, tiles}, {stencil<1, false, 1024>, 132, 1024, 0, tiles}});
  enroll("copies: stencil, border 2", {{stencil<2, false, 256>, 528, 256, 0, tiles}});
  enroll("copies: stencil, border 4", {{stencil<4, false, 64>, 132, 64, 0, tiles}});
  enroll("copies: stencil by threads, border 1", {{stencil<1, true, 256>, 132, 256, 0, tiles}});
  enroll("copies: stencil by threads, border 8", {{stencil<8, true, 1024>, 132, 1024, 0, tiles}});
  constexpr int most = 20480;
  enroll("copies: 512 bytes, float", {{size_at_run_time<float, 32>, 1, 32, 0, {512, 1000, 0}, most},
                                      {size_at_run_time<float, 256>, 132, 256, 0, {512, 1000, 0}, most}});
  enroll("copies: 1000 bytes, char, offset 2", {{size_at_run_time<char, 128>, 132, 128, 0, {1000, 1000, 2}, most}});
  enroll("copies: 2052 bytes, float, offset 4", {{size_at_run_time<float, 256>, 132, 256, 0, {2052, 1000, 4}, most}});
  enroll("copies: 4000 bytes, float", {{size_at_run_time<float, 512>, 264, 512, 0, {4000, 1000, 16}, most}});
  enroll("copies: 4000 bytes, float4", {{size_at_run_time<float4, 128>, 132, 128, 0, {4000, 1000, 16}, most}});
  enroll("copies: 16388 bytes, float", {{size_at_run_time<float, 256>, 132, 256, 0, {16388, 1000, 0}, most}});
  enroll("copies: 64 bytes by one thread", {{one_thread_copies<64, 128>, 132, 128, 0, tiles}});
  enroll("copies: 256 bytes by one thread", {{one_thread_copies<256, 128>, 132, 128, 0, tiles}});
  enroll("copies: 2048 bytes by one thread", {{one_thread_copies<2048, 256>, 132, 256, 0, tiles}});
  enroll("copies: results to global memory, float", {{copy_results<float, 256>, 132, 256, 264 * 256}});
  enroll("copies: results to global memory, float4", {{copy_results<float4, 256>, 132, 256, 264 * 256 * 4}});
  enroll("copies: two operands of 512 bytes", {{two_operands<512, 128>, 132, 128, 0, tiles}});
  enroll("copies: two operands of 1024 bytes", {{two_operands<1024, 256>, 132, 256, 0, tiles}});
  enroll("copies: two operands of 4096 bytes", {{two_operands<4096, 256>, 132, 256, 0, tiles}});
}

const bool is_enrolled = [] {
  enroll_elements();
  enroll_rows();
  enroll_blocks();
  return true;
}();

}}  // namespace bench
