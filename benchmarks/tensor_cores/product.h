// The kernel that multiplies matrices with the tensor cores of Hopper, for any ring of stages in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_TENSOR_CORES_PRODUCT_H
#define CUDASYNC_BENCHMARKS_TENSOR_CORES_PRODUCT_H

#include <cuda_bf16.h>

#include "../../examples/wgmma.h"
#include "../harness.h"
#include "hand.h"

namespace bench {

using element = __nv_bfloat16;

// As variant b of examples/17_tensor_core_product.cu.
inline constexpr u32 product_depth = 64;  // elements of a row in one stage: 128 bytes, the unit of the swizzle
inline constexpr u32 product_columns = 256;
inline constexpr u32 product_groups = 2;  // warpgroups, which multiply the two halves of a tile
inline constexpr u32 group_threads = 128;
inline constexpr u32 group_rows = 64;
inline constexpr u32 product_rows = product_groups * group_rows;
inline constexpr u32 product_blocks = 2;  // of a cluster; each loads one half of the stage of B for both
inline constexpr u32 product_stages = 4;
inline constexpr u32 product_stores = 2;                                                // under way for each warpgroup
inline constexpr u32 product_threads = product_groups * group_threads + group_threads;  // the last ones copy
inline constexpr u32 band_rows = 2048;  // Tiles are in the order of bands of so many rows, and of columns in a band.
inline constexpr u32 bytes_per_stage = (product_rows + product_columns) * product_depth * sizeof(element);
inline constexpr u32 product_shared_bytes = 225 << 10;
inline constexpr const char* product_name = "C = A B', bf16";

// C = A B'. The rows of all three matrices are contiguous.
struct product_task {
  CUtensorMap a, b, c;
  u32 tiles_down, tiles_right, steps;
};

template <class Way>
struct product_memory {
  alignas(1024) element a[product_stages][product_rows][product_depth];
  alignas(1024) element b[product_stages][product_columns][product_depth];
  alignas(1024) element c[product_groups][product_stores][group_rows][product_depth];
  alignas(8) unsigned char barriers[sizeof(typename Way::barriers)];
};

struct tile_corner {
  int row, column;
};

// The tiles of a cluster lie one below the other.
__device__ __forceinline__ tile_corner find_tile(const product_task& task, u32 index) {
  constexpr u32 band = band_rows / product_rows;
  const u32 first = index / (band * task.tiles_right) * band;
  const u32 height = task.tiles_down - first < band ? task.tiles_down - first : band;
  const u32 within = index - first * task.tiles_right;
  return {static_cast<int>((first + within % height) * product_rows),
          static_cast<int>(within / height * product_columns)};
}

template <class Way>
__device__ __forceinline__ void fill_stages(product_memory<Way>& shared, typename Way::producer& pipe,
                                            const product_task& task, u32 tiles) {
  constexpr u32 share = product_columns / product_blocks;
  const u32 first = ptx::rank_in_cluster() * share;
  for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const tile_corner corner = find_tile(task, tile);
    for (u32 step = 0; step < task.steps; ++step) {
      const int inner = static_cast<int>(step * product_depth);
      const u32 stage = pipe.acquire();
      pipe.copy(shared.a[stage], &task.a, inner, corner.row);
      pipe.copy_to_blocks(shared.b[stage][first], &task.b, inner, corner.column + static_cast<int>(first));
      pipe.advance();
    }
  }
  pipe.finish();
}

template <u32 Rows>
__device__ __forceinline__ void begin_step(const element (&a)[Rows][product_depth], const void* b, u32 row,
                                           float (&sums)[128]) {
  const u64 left = describe_rows(a[row]);
  const u64 right = describe_rows(b);
  ptx::begin_multiplications();
#pragma unroll
  for (u32 slice = 0; slice < product_depth / 16; ++slice)
    multiply_64x256x16(sums, left + 2 * slice, right + 2 * slice);  // 16 elements are two units of 16 bytes
}

__device__ __forceinline__ void synchronize_group(u32 group) {
  if (group == 0)
    ptx::synchronize<1, group_threads>();
  else
    ptx::synchronize<2, group_threads>();
}

// Stores the sums of a warpgroup in boxes of 64 x 64 elements, by way of shared memory.
template <class Place>
__device__ __forceinline__ void store_sums(Place& places, u32& next, u32 group, const CUtensorMap* c,
                                           tile_corner corner, const float (&sums)[128]) {
  const u32 thread = threadIdx.x % group_threads;
  const u32 row = thread / 32 * 16 + thread % 16;  // of the matrix row that this thread locates
  const u32 side = thread % 32 / 16;               // the left or the right one of two matrices
#pragma unroll
  for (u32 box = 0; box < product_columns / product_depth; ++box) {
    if (thread == 0) ptx::await_reads_of_stores<product_stores - 1>();
    synchronize_group(group);
    auto& place = places[next];
#pragma unroll
    for (u32 pair = 0; pair < 4; ++pair) {  // 16 columns each
      const float* const four = sums + 32 * box + 8 * pair;
      const u32 unit = (2 * pair + side) ^ row % 8;  // of 16 bytes; the copy undoes the swizzle
      store_matrices(&place[row][8 * unit], round_to_bf16(four[0], four[1]), round_to_bf16(four[2], four[3]),
                     round_to_bf16(four[4], four[5]), round_to_bf16(four[6], four[7]));
    }
    precede_copies();
    synchronize_group(group);
    if (thread == 0) {
      ptx::store_box(c, corner.column + static_cast<int>(box * product_depth), corner.row, ptx::shared(place));
      ptx::commit_stores();
    }
    next ^= 1;
  }
}

template <class Way>
__device__ __forceinline__ void use_stages(product_memory<Way>& shared, typename Way::consumer& pipe,
                                           const product_task& task, u32 tiles) {
  const u32 group = threadIdx.x / group_threads;
  const u32 row = group * group_rows;
  u32 next = 0;
  for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float sums[128] = {};
    for (u32 step = 0; step < task.steps; ++step) {
      const u32 stage = pipe.wait();
      begin_step(shared.a[stage], shared.b[stage], row, sums);
      pipe.commit();
    }
    pipe.finish();
    settle(sums);
    tile_corner corner = find_tile(task, tile);
    corner.row += static_cast<int>(row);
    store_sums(shared.c[group], next, group, &task.c, corner, sums);
  }
  if (threadIdx.x % group_threads == 0) ptx::await_stores();
}

// A contestant is a class with
//   struct barriers                 in shared memory
//   static void init(barriers&)     by all threads; synchronizes the cluster
//   class producer                  constructed by a warp, used by one thread of it
//     u32 acquire()                 blocks until both blocks have released the next stage; returns its index
//     void copy(destination, map, column, row)
//     void copy_to_blocks(destination, map, column, row)
//     void advance()                goes to the next stage
//     void finish()                 blocks until all stages are released
//   class consumer                  constructed and used by all threads of the warpgroups that multiply
//     u32 wait()                    blocks until the next stage is full; returns its index
//     void commit()                 makes a group of the multiplications that read this stage, blocks until that of the
//                                   stage before is complete, releases the stage before, and goes to the next one
//     void finish()                 blocks until all multiplications are complete, and releases the last stage
template <class Way>
__global__ void __cluster_dims__(product_blocks, 1, 1) __launch_bounds__(product_threads, 1)
    multiply_with(const __grid_constant__ product_task task) {
  static_assert(sizeof(product_memory<Way>) <= product_shared_bytes);
  alignas(1024) extern __shared__ unsigned char bytes[];
  auto& shared = *reinterpret_cast<product_memory<Way>*>(bytes);
  auto& barriers = reinterpret_cast<typename Way::barriers&>(shared.barriers);
  Way::init(barriers);
  const u32 tiles = task.tiles_down * task.tiles_right;
  if (threadIdx.x < product_groups * group_threads) {
    ptx::take_registers<232>();
    typename Way::consumer pipe(barriers);
    use_stages<Way>(shared, pipe, task, tiles);
  } else {
    ptx::give_registers<40>();
    if (threadIdx.x >= product_groups * group_threads + warp_size) return;
    typename Way::producer pipe(barriers);
    if (ptx::elect()) fill_stages<Way>(shared, pipe, task, tiles);
  }
}

template <class Way>
void enroll_product(const std::string& name, const std::string& kind) {
  contestants().push_back(
      {"product", product_name, name, kind, "sm90", reinterpret_cast<const void*>(&multiply_with<Way>), nullptr});
}

}  // namespace bench

#endif
