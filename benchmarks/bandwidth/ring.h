// The kernel that copies an array through a ring of stages in shared memory, for any contestant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_BANDWIDTH_RING_H
#define CUDASYNC_BENCHMARKS_BANDWIDTH_RING_H

#include <utility>

#include "../harness.h"

// The pipelines of libcu++ have a constructor, which nvcc does not call for a __shared__ variable.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace bench {

using u32 = unsigned int;
using u64 = unsigned long long;

inline constexpr std::size_t ring_bytes = std::size_t{1} << 30;
inline constexpr u32 ring_consumers = 128;  // threads of a block that add up the tiles
inline constexpr u32 warp_size = 32;
inline constexpr u32 ring_tiles[] = {1024, 2048, 4096, 8192, 16384, 32768};
inline constexpr u32 ring_stages[] = {2, 3, 4, 6, 8};
inline constexpr u32 ring_shared_bytes = 208 << 10;  // the limit for the stages of a block

inline std::string ring_name(u32 tile) {
  return "tiles of " + std::to_string(tile >> 10) + " KiB";
}

// The tiles that a block copies: first, first + step, and so on.
struct tile_range {
  const char* source;
  u32 first;
  u32 step;
  u32 end;
};

template <u32 Tile>
__device__ __forceinline__ const char* tile_at(const tile_range& all, u32 tile) {
  return all.source + std::size_t{tile} * Tile;
}

// The work on a tile: each consumer adds up its vectors.
template <u32 Tile>
__device__ __forceinline__ void consume(const char* stage, u32 thread, float4& sum) {
  const float4* const vectors = reinterpret_cast<const float4*>(stage);
  constexpr u32 count = Tile / sizeof(float4);
#pragma unroll
  for (u32 first = 0; first < count; first += ring_consumers)
    if (count >= ring_consumers || thread < count) {
      const float4 vector = vectors[first + thread];
      sum.x += vector.x;
      sum.y += vector.y;
      sum.z += vector.z;
      sum.w += vector.w;
    }
}

// Call it after the wait for a free stage and before the copy, if the ring has no fence of its own: the copy engine can
// overtake loads that are in flight.
__device__ __forceinline__ void precede_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The values are small integers, so that all sums are exact.
__device__ __forceinline__ void add_to_total(float4 sum, double* total) {
  __syncwarp();
  double all = static_cast<double>(sum.x + sum.y) + static_cast<double>(sum.z + sum.w);
  for (u32 distance = warp_size / 2; distance != 0; distance /= 2)
    all += __shfl_xor_sync(0xffffffff, all, distance);
  if (threadIdx.x % warp_size == 0) atomicAdd(total, all);
}

// The index of a stage and the parity of the round, for contestants that keep track of them.
template <u32 Stages>
struct ring_place {
  u32 stage = 0;
  u32 parity = 0;

  __device__ __forceinline__ void advance() {
    const bool is_last = stage + 1 == Stages;
    stage = is_last ? 0 : stage + 1;
    parity ^= is_last ? 1u : 0u;
  }
};

// A contestant is a class with
//   static constexpr u32 threads      the threads of a block; the first ring_consumers of them are the consumers
//   template <u32 Stages> struct shared      the barriers
//   template <u32 Tile, u32 Stages> static float4 run(shared<Stages>&, char* stages, const tile_range&)
template <class Way, u32 Tile, u32 Stages>
__global__ void __launch_bounds__(Way::threads) ring(const char* source, u32 tiles, double* total) {
  extern __shared__ __align__(128) char stages[];
  __shared__ typename Way::template shared<Stages> barriers;
  const tile_range mine{source, blockIdx.x, gridDim.x, tiles};
  const float4 sum = Way::template run<Tile, Stages>(barriers, stages, mine);
  if (threadIdx.x < ring_consumers) add_to_total(sum, total);
}

template <class Way, u32 Tile, std::size_t... Index>
std::vector<const void*> ring_kernels(std::index_sequence<Index...>) {
  std::vector<const void*> kernels;
  const auto add = [&](auto stages) {
    constexpr u32 count = decltype(stages)::value;
    if constexpr (Tile * count <= ring_shared_bytes)
      kernels.push_back(reinterpret_cast<const void*>(&ring<Way, Tile, count>));
  };
  (add(std::integral_constant<u32, ring_stages[Index]>{}), ...);
  return kernels;
}

template <class Way, std::size_t... Index>
void enroll_ring(const std::string& name, const std::string& kind, std::index_sequence<Index...>) {
  const auto add = [&](auto tile) {
    constexpr u32 bytes = decltype(tile)::value;
    const auto kernels = ring_kernels<Way, bytes>(std::make_index_sequence<std::size(ring_stages)>{});
    contestants().push_back({"ring", ring_name(bytes), name, kind, "sm90", nullptr, nullptr, nullptr, kernels,
                             static_cast<int>(Way::threads)});
  };
  (add(std::integral_constant<u32, ring_tiles[Index]>{}), ...);
}

template <class Way>
void enroll_ring(const std::string& name, const std::string& kind) {
  enroll_ring<Way>(name, kind, std::make_index_sequence<std::size(ring_tiles)>{});
}

}  // namespace bench

#endif
