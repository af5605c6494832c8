// The kernels of 17_tensor_core_product.cu: for the tensor cores of Hopper (sm_90a) and for those of Blackwell (sm_100a).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TENSOR_CORE_PRODUCT_H
#define TENSOR_CORE_PRODUCT_H

#include "tcgen05.h"
#include "wgmma.h"

#if !defined(__CUDACC_RTC__)
#include <cuda.h>  // defines CUtensorMap; with NVRTC, the program does
#endif

#include <cuda/pipeline>
#include <cuda/work_stealing>
#include <cudasync/register_budget.h>
#include <cudasync/tensor_cores.h>
#include <cudasync/turns.h>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr bool is_hopper = false, is_blackwell = true;
#elif defined(__CUDA_ARCH__)
constexpr bool is_hopper = true, is_blackwell = false;
#else
constexpr bool is_hopper = false, is_blackwell = false;  // The pass for the host has no kernels.
#endif

using element = unsigned short;  // the bits of a bf16

constexpr unsigned depth = 64;       // elements of a row in one stage: 128 bytes, the unit of the swizzle
constexpr unsigned columns = 256;    // of a tile of C
constexpr unsigned group_rows = 64;  // rows that a warpgroup of Hopper multiplies
constexpr unsigned group_threads = 128;
constexpr unsigned consumers = 2;     // warpgroups
constexpr unsigned band_rows = 2048;  // Tiles are in the order of bands of so many rows, and of columns in a band.

using consumer = cudasync::register_role<consumers * group_threads, 232>;
using producer = cudasync::register_role<group_threads, 40>;
constexpr unsigned threads = consumer::threads + producer::threads;
using budget = cudasync::register_budget<cudasync::registers_at_launch(threads), consumer, producer>;

template <bool TakesTurns, unsigned Stages, unsigned Blocks>
struct hopper_design {
  static constexpr bool runs_here = is_hopper;
  static constexpr bool uses_tensor_memory = false;
  static constexpr bool takes_turns = TakesTurns;
  static constexpr unsigned stages = Stages;
  static constexpr unsigned blocks = Blocks;                                           // of a cluster
  static constexpr unsigned rows = takes_turns ? group_rows : consumers * group_rows;  // of a tile of C
  static constexpr unsigned store_rows = group_rows;                                   // of a box of C
  static constexpr unsigned stores = takes_turns ? 1 : 2;                              // under way for each warpgroup
  static constexpr unsigned bytes_per_stage = (rows + columns) * depth * sizeof(element);

  using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_warpgroups<takes_turns ? 1 : consumers>, blocks>;
  using queue = cudasync::launch_queue<1, cudasync::consumer_warps<threads / 32>, blocks>;
  using order = cudasync::turns<consumers, 2, group_threads>;  // stage 0: multiply; stage 1: store

  struct memory {
    alignas(1024) element a[stages][rows][depth];
    alignas(1024) element b[stages][columns][depth];
    alignas(1024) element c[consumers][stores][group_rows][depth];
    ring pipe;
    queue tiles;
    order in_turn;
  };
};

// The accumulators are in tensor memory. One thread multiplies. Eight warps store a tile: each of them a quarter of the
// rows, because it can load only these, and half of the columns.
template <unsigned Blocks>
struct blackwell_design {
  static constexpr bool runs_here = is_blackwell;
  static constexpr bool uses_tensor_memory = true;
  static constexpr unsigned stages = 4;
  static constexpr unsigned blocks = Blocks;
  static constexpr unsigned rows = 128;
  static constexpr unsigned store_rows = 32;
  static constexpr unsigned bytes_per_stage = (rows + columns) * depth * sizeof(element);
  static constexpr unsigned storing_warps = consumer::threads / 32;

  using ring = cudasync::bulk_pipeline<stages, cudasync::consumer_mma, blocks>;
  using queue = cudasync::launch_queue<2, cudasync::consumer_warps<storing_warps + 2>, blocks>;
  using results =
      cudasync::accumulator_pipeline<tensor_memory_columns / columns, cudasync::consumer_warps<storing_warps>>;

  struct memory {
    alignas(1024) element a[stages][rows][depth];
    alignas(1024) element b[stages][columns][depth];
    alignas(1024) element c[storing_warps][store_rows][depth];
    ring pipe;
    queue tiles;
    results sums;
    unsigned tensor_memory;
  };
};

struct problem {
  CUtensorMap a, b, c;
  unsigned tiles_down, tiles_right, steps;
};

struct tile_corner {
  int row, column;
};

// The tiles of a cluster lie one below the other, because tiles_down is a multiple of the number of its blocks.
template <class Design>
__device__ tile_corner find_tile(const problem& what, unsigned index) {
  constexpr unsigned band = band_rows / Design::rows;
  const unsigned first = index / (band * what.tiles_right) * band;
  const unsigned height = what.tiles_down - first < band ? what.tiles_down - first : band;
  const unsigned within = index - first * what.tiles_right;
  return {static_cast<int>((first + within % height) * Design::rows), static_cast<int>(within / height * columns)};
}

template <class Design>
__device__ void init(typename Design::memory& shared) {
  if constexpr (Design::blocks == 1) {
    shared.tiles.init(cudasync::this_thread_block());
    shared.pipe.init(cudasync::this_thread_block());
  } else {
    shared.tiles.init(cudasync::this_cluster());
    shared.pipe.init(cudasync::this_cluster());
  }
}

// One thread of the warp begins the copies to all stages.
template <class Design>
__device__ void produce(typename Design::memory& shared, const problem& what, unsigned tiles) {
  const bool is_producer = cudasync::elect_one_of_warp();
  const unsigned rank = Design::blocks == 1 ? 0 : cudasync::this_cluster().block_rank();
  typename Design::ring::producer_state at;
  typename Design::queue::consumer_state tile(tiles);
  for (; !tile.is_done(); shared.tiles.next(tile)) {
    if (!is_producer) continue;
    const tile_corner corner = find_tile<Design>(what, tile.index());
    for (unsigned step = 0; step < what.steps; ++step, at.advance()) {
      const int inner = static_cast<int>(step * depth);
      const unsigned stage = at.index();
      shared.pipe.producer_acquire(at, Design::bytes_per_stage);
      shared.pipe.copy(at, shared.a[stage], &what.a, {inner, corner.row});
      if constexpr (Design::blocks == 1) {
        shared.pipe.copy(at, shared.b[stage], &what.b, {inner, corner.column});
      } else {
        constexpr unsigned share = columns / Design::blocks;
        shared.pipe.copy_to_blocks(at, shared.b[stage][rank * share], &what.b,
                                   {inner, corner.column + static_cast<int>(rank * share)}, (1 << Design::blocks) - 1);
      }
    }
  }
  if (is_producer) shared.pipe.producer_tail(at);
}

// --- Hopper ---

// Adds the products of a tile's rows of A, from this row of the tile on, and of its rows of B.
template <class Design>
__device__ void multiply(typename Design::memory& shared, typename Design::ring::consumer_state& at, unsigned row,
                         unsigned steps, float (&sums)[128]) {
  for (unsigned step = 0; step < steps; ++step) {
    shared.pipe.consumer_wait(at);
    const unsigned long long a = describe_rows(shared.a[at.index()][row]);
    const unsigned long long b = describe_rows(shared.b[at.index()]);
    cudasync::ptx::wgmma_fence();
#pragma unroll
    for (unsigned slice = 0; slice < depth / 16; ++slice)
      multiply_64x256x16(sums, a + 2 * slice, b + 2 * slice);  // 16 elements are two units of 16 bytes
    shared.pipe.consumer_commit(at);
  }
  shared.pipe.consumer_finish(at);
  settle(sums);
}

__device__ void synchronize_warpgroup(unsigned group) {
  if (group == 0)
    cudasync::named_barrier<1, group_threads>::sync();
  else
    cudasync::named_barrier<2, group_threads>::sync();
}

// Stores the sums of a warpgroup in boxes of 64 x 64 elements, by way of shared memory.
template <class Design>
__device__ void store(typename Design::memory& shared, cudasync::bulk_store_ring<Design::stores>& stores,
                      unsigned group, const CUtensorMap* c, tile_corner corner, const float (&sums)[128]) {
  const unsigned thread = threadIdx.x % group_threads;
  const unsigned row = thread / 32 * 16 + thread % 16;  // of the matrix row that this thread locates
  const unsigned side = thread % 32 / 16;               // the left or the right one of two matrices
#pragma unroll
  for (unsigned box = 0; box < columns / depth; ++box) {
    if (thread == 0) stores.acquire();
    synchronize_warpgroup(group);
    auto& place = shared.c[group][stores.index()];
#pragma unroll
    for (unsigned pair = 0; pair < 4; ++pair) {  // 16 columns each
      const float* const four = sums + 32 * box + 8 * pair;
      const unsigned unit = (2 * pair + side) ^ row % 8;  // of 16 bytes; the copy undoes the swizzle
      store_matrices(&place[row][8 * unit], round_to_bf16(four[0], four[1]), round_to_bf16(four[2], four[3]),
                     round_to_bf16(four[4], four[5]), round_to_bf16(four[6], four[7]));
    }
    synchronize_warpgroup(group);
    if (thread == 0) {
      cudasync::device::fence_before_bulk_copy();
      cudasync::device::bulk_store(c, {corner.column + static_cast<int>(box * depth), corner.row}, place);
      stores.commit();
    } else {
      stores.skip();
    }
  }
}

template <class Design>
__device__ void multiply_and_store(typename Design::memory& shared, const problem& what, unsigned tiles) {
  const unsigned group = threadIdx.x / group_threads;
  typename Design::ring::consumer_state at;
  typename Design::queue::consumer_state tile(tiles);
  cudasync::bulk_store_ring<Design::stores> stores;
  if constexpr (Design::takes_turns) {
    typename Design::order::place mine(shared.in_turn, group);
    bool is_mine = group == 0;  // tiles are for one warpgroup and the other one alternately
    for (; !tile.is_done(); shared.tiles.next(tile), is_mine = !is_mine) {
      if (!is_mine) {
        at.skip(what.steps);
        continue;
      }
      float sums[128] = {};
      mine.wait();
      multiply<Design>(shared, at, 0, what.steps, sums);
      mine.pass();
      mine.wait();
      store<Design>(shared, stores, group, &what.c, find_tile<Design>(what, tile.index()), sums);
      mine.pass();
    }
  } else {
    const unsigned row = group * group_rows;
    for (; !tile.is_done(); shared.tiles.next(tile)) {
      float sums[128] = {};
      multiply<Design>(shared, at, row, what.steps, sums);
      tile_corner corner = find_tile<Design>(what, tile.index());
      corner.row += static_cast<int>(row);
      store<Design>(shared, stores, group, &what.c, corner, sums);
    }
  }
  if (threadIdx.x % group_threads == 0) stores.drain();
}

template <class Design>
__device__ void run_on_hopper(typename Design::memory& shared, const problem& what, unsigned tiles) {
  shared.in_turn.init(cudasync::this_thread_block());
  init<Design>(shared);
  if (threadIdx.x < consumer::threads) {
    budget::enter<consumer>();
    multiply_and_store<Design>(shared, what, tiles);
  } else {
    budget::enter<producer>();
    if (threadIdx.x < consumer::threads + 32) produce<Design>(shared, what, tiles);
  }
}

// --- Blackwell ---

// One thread of the warp multiplies.
template <class Design>
__device__ void multiply_in_tensor_memory(typename Design::memory& shared, const problem& what, unsigned tiles) {
  const bool is_multiplier = cudasync::elect_one_of_warp();
  typename Design::ring::consumer_state at;
  typename Design::results::producer_state to;
  typename Design::queue::consumer_state tile(tiles);
  for (; !tile.is_done(); shared.tiles.next(tile)) {
    if (!is_multiplier) continue;
    shared.sums.producer_acquire(to);
    const unsigned sums = shared.tensor_memory + to.index() * columns;
    for (unsigned step = 0; step < what.steps; ++step) {
      shared.pipe.consumer_wait(at);
      const unsigned long long a = describe_swizzled_rows(shared.a[at.index()]);
      const unsigned long long b = describe_swizzled_rows(shared.b[at.index()]);
#pragma unroll
      for (unsigned slice = 0; slice < depth / 16; ++slice)
        multiply_128x256x16(sums, a + 2 * slice, b + 2 * slice, slice > 0 || step > 0);
      shared.pipe.consumer_commit(at);
    }
    shared.sums.producer_commit(to);
  }
  if (is_multiplier) shared.sums.producer_tail(to);
}

// Stores this warp's part of each tile in boxes of 32 x 64 elements, by way of shared memory.
template <class Design>
__device__ void store_sums(typename Design::memory& shared, const problem& what, unsigned tiles) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned row = warp % 4 * 32;  // of the tile
  const unsigned column = warp / 4 * (columns / 2);
  auto& place = shared.c[warp];
  cudasync::bulk_store_ring<1> stores;
  typename Design::results::consumer_state from;
  typename Design::queue::consumer_state tile(tiles);
  for (; !tile.is_done(); shared.tiles.next(tile), from.advance()) {
    float sums[columns / 2];
    const unsigned address = shared.tensor_memory + from.index() * columns + column + (row << 16);
    shared.sums.consumer_wait(from);
#pragma unroll
    for (unsigned part = 0; part < columns / 2; part += 32)
      load_32_columns(sums + part, address + part);
    shared.sums.consumer_release(from);
    const tile_corner corner = find_tile<Design>(what, tile.index());
#pragma unroll
    for (unsigned box = 0; box < columns / 2; box += depth) {
      if (lane == 0) stores.acquire();
      __syncwarp();
#pragma unroll
      for (unsigned unit = 0; unit < depth / 8; ++unit) {  // of 16 bytes; the copy undoes the swizzle
        const float* const eight = sums + box + 8 * unit;
        *reinterpret_cast<uint4*>(&place[lane][8 * (unit ^ lane % 8)]) = {
            round_to_bf16(eight[0], eight[1]), round_to_bf16(eight[2], eight[3]), round_to_bf16(eight[4], eight[5]),
            round_to_bf16(eight[6], eight[7])};
      }
      __syncwarp();
      if (lane == 0) {
        cudasync::device::fence_before_bulk_copy();
        cudasync::device::bulk_store(
            &what.c, {corner.column + static_cast<int>(column + box), corner.row + static_cast<int>(row)}, place);
        stores.commit();
      }
    }
  }
  if (lane == 0) stores.drain();
}

template <class Design>
__device__ void run_on_blackwell(typename Design::memory& shared, const problem& what, unsigned tiles) {
  constexpr unsigned first = consumer::threads / 32;
  const unsigned warp = threadIdx.x / 32;
  if (warp == first) allocate_tensor_memory(shared.tensor_memory);
  shared.sums.init(cudasync::this_thread_block());
  init<Design>(shared);
  if (warp < first) {
    budget::enter<consumer>();
    store_sums<Design>(shared, what, tiles);
  } else {
    budget::enter<producer>();
    if (warp == first) {
      multiply_in_tensor_memory<Design>(shared, what, tiles);
      __syncwarp();
      free_tensor_memory(shared.tensor_memory);
    } else if (warp == first + 1) {
      produce<Design>(shared, what, tiles);
    } else if (warp == first + 2) {
      if (cudasync::elect_one_of_warp()) shared.tiles.run_scheduler();
    }
  }
}

// --- Both ---

template <class Design>
__device__ void compute_tiles(const problem& what) {
  alignas(1024) extern __shared__ unsigned char bytes[];
  const unsigned tiles = what.tiles_down * what.tiles_right;
  [[maybe_unused]] auto& shared = *reinterpret_cast<typename Design::memory*>(bytes);
  if constexpr (!Design::runs_here)
    __trap();
  else if constexpr (Design::uses_tensor_memory)
    run_on_blackwell<Design>(shared, what, tiles);
  else
    run_on_hopper<Design>(shared, what, tiles);
}

#endif
