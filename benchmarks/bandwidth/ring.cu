// Measures the copy of 1 GiB through rings in shared memory on all multiprocessors, and a stream of reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ring.h"

#include "hand.h"

namespace bench {
namespace {

constexpr int repetitions = 11;
constexpr int stream_threads = 256;

// One elected thread of the last warp copies. One lane of each other warp arrives after the warp has read the stage.
enum class fence { in_producer, in_consumers, nowhere };  // completes reads of a stage before the next copy into it

template <fence Fence>
struct elected_ring {
  static constexpr u32 threads = ring_consumers + warp_size;

  template <u32 Stages>
  struct shared {
    u64 full[Stages];
    u64 empty[Stages];
  };

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    if (threadIdx.x == 0) {
      for (u32 stage = 0; stage < Stages; ++stage) {
        ptx::init(ptx::shared(&barriers.full[stage]), 1);
        ptx::init(ptx::shared(&barriers.empty[stage]), ring_consumers / warp_size);
      }
      ptx::fence_init();
    }
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    ring_place<Stages> at;
    const u32 full = ptx::shared(barriers.full);
    const u32 empty = ptx::shared(barriers.empty);
    if (threadIdx.x >= ring_consumers) {
      if (ptx::elect())
        for (u32 tile = all.first; tile < all.end; tile += all.step) {
          const u32 bar = full + 8 * at.stage;
          ptx::wait(empty + 8 * at.stage, at.parity ^ 1);
          if constexpr (Fence == fence::in_producer) precede_copies();
          ptx::arrive_and_expect(bar, Tile);
          ptx::copy_in_bulk(ptx::shared(stages) + at.stage * Tile, tile_at<Tile>(all, tile), Tile, bar);
          at.advance();
        }
      return sum;
    }
    for (u32 tile = all.first; tile < all.end; tile += all.step) {
      ptx::wait(full + 8 * at.stage, at.parity);
      consume<Tile>(stages + at.stage * Tile, threadIdx.x, sum);
      if constexpr (Fence == fence::in_consumers) precede_copies();
      __syncwarp();
      if (threadIdx.x % warp_size == 0) ptx::arrive(empty + 8 * at.stage);
      at.advance();
    }
    return sum;
  }
};

// The same, but the kernel chooses the lane, the wait loops are in C++, and pointers replace shared addresses.
struct chosen_ring : elected_ring<fence::in_producer> {
  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    if (threadIdx.x == ring_consumers) {
      for (u32 stage = 0; stage < Stages; ++stage) {
        ptx::init(ptx::shared(&barriers.full[stage]), 1);
        ptx::init(ptx::shared(&barriers.empty[stage]), ring_consumers / warp_size);
      }
      ptx::fence_init();
    }
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    ring_place<Stages> at;
    if (threadIdx.x == ring_consumers)
      for (u32 tile = all.first; tile < all.end; tile += all.step) {
        const u32 bar = ptx::shared(&barriers.full[at.stage]);
        while (!ptx::try_wait(ptx::shared(&barriers.empty[at.stage]), at.parity ^ 1)) {
        }
        precede_copies();
        ptx::arrive_and_expect(bar, Tile);
        ptx::copy_in_bulk(ptx::shared(stages + at.stage * Tile), tile_at<Tile>(all, tile), Tile, bar);
        at.advance();
      }
    if (threadIdx.x < ring_consumers)
      for (u32 tile = all.first; tile < all.end; tile += all.step) {
        while (!ptx::try_wait(ptx::shared(&barriers.full[at.stage]), at.parity)) {
        }
        consume<Tile>(stages + at.stage * Tile, threadIdx.x, sum);
        __syncwarp();
        if (threadIdx.x % warp_size == 0) ptx::arrive(ptx::shared(&barriers.empty[at.stage]));
        at.advance();
      }
    return sum;
  }
};

// The consumers copy their vectors with cp.async, and all of them arrive at both barriers of a stage.
struct unified_vectors_ring {
  static constexpr u32 threads = ring_consumers;
  template <u32 Stages>
  using shared = typename chosen_ring::template shared<Stages>;

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    if (threadIdx.x == 0) {
      for (u32 stage = 0; stage < Stages; ++stage) {
        ptx::init(ptx::shared(&barriers.full[stage]), ring_consumers);
        ptx::init(ptx::shared(&barriers.empty[stage]), ring_consumers);
      }
    }
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    ring_place<Stages> next;
    ring_place<Stages> at;
    const u32 full = ptx::shared(barriers.full);
    const u32 empty = ptx::shared(barriers.empty);
    u32 fetched = all.first;
    for (u32 tile = all.first; tile < all.end; tile += all.step) {
      for (; fetched < all.end && fetched < tile + Stages * all.step; fetched += all.step) {
        ptx::wait(empty + 8 * next.stage, next.parity ^ 1);
        const u32 to = ptx::shared(stages) + next.stage * Tile;
        const char* const from = tile_at<Tile>(all, fetched);
#pragma unroll
        for (u32 byte = 0; byte < Tile; byte += 16 * ring_consumers)
          if (Tile >= 16 * ring_consumers || threadIdx.x * 16 < Tile)
            ptx::copy<16>(to + byte + threadIdx.x * 16, from + byte + threadIdx.x * 16);
        ptx::arrive_after_copies(full + 8 * next.stage);
        next.advance();
      }
      ptx::wait(full + 8 * at.stage, at.parity);
      consume<Tile>(stages + at.stage * Tile, threadIdx.x, sum);
      ptx::arrive(empty + 8 * at.stage);
      at.advance();
    }
    return sum;
  }
};

// Measures the memory bandwidth: as many threads as fit only read, with this number of loads in flight.
template <u32 Loads>
__global__ void __launch_bounds__(stream_threads) read_stream(const float4* source, u32 vectors, double* total) {
  float4 sum{0, 0, 0, 0};
  const u32 step = gridDim.x * blockDim.x;
  u32 index = blockIdx.x * blockDim.x + threadIdx.x;
  for (; index + (Loads - 1) * step < vectors; index += Loads * step) {
    float4 loaded[Loads];
#pragma unroll
    for (u32 number = 0; number < Loads; ++number)
      loaded[number] = __ldcs(source + index + number * step);
#pragma unroll
    for (const float4& vector : loaded) {
      sum.x += vector.x;
      sum.y += vector.y;
      sum.z += vector.z;
      sum.w += vector.w;
    }
  }
  for (; index < vectors; index += step) {
    const float4 vector = __ldcs(source + index);
    sum.x += vector.x;
    sum.y += vector.y;
    sum.z += vector.z;
    sum.w += vector.w;
  }
  add_to_total(sum, total);
}

const bool is_enrolled = [] {
  enroll_ring<elected_ring<fence::in_producer>>("PTX, elected lane, asm wait", hand);
  enroll_ring<elected_ring<fence::in_consumers>>("PTX, elected lane, asm wait, consumers fence", hand);
  enroll_ring<elected_ring<fence::nowhere>>("PTX, elected lane, asm wait, no fence", "reference");
  enroll_ring<unified_vectors_ring>("PTX, unified, cp.async", "reference");
  enroll_ring<chosen_ring>("PTX, lane 0, C++ wait", hand);
  const auto enroll_stream = [](auto loads) {
    constexpr u32 count = decltype(loads)::value;
    const void* const kernel = reinterpret_cast<const void*>(&read_stream<count>);
    for (const u32 tile : ring_tiles)
      contestants().push_back({"ring", ring_name(tile), "read stream, " + std::to_string(count) + " loads", "reference",
                               "sm90", kernel, nullptr});
  };
  enroll_stream(std::integral_constant<u32, 2>{});
  enroll_stream(std::integral_constant<u32, 4>{});
  enroll_stream(std::integral_constant<u32, 8>{});
  return true;
}();

__global__ void fill(float* values, u64 count, u64* sum) {
  u64 own = 0;
  const u64 step = u64{gridDim.x} * blockDim.x;
  for (u64 index = u64{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += step) {
    const u32 value = static_cast<u32>(index) * 2654435761u >> 30;
    values[index] = static_cast<float>(value);
    own += value;
  }
  atomicAdd(sum, own);
}

}  // namespace

void run_ring(report& results) {
  const device_array<char> source(ring_bytes);
  const device_array<u64> sum(1);
  const device_array<double> total(1);
  fill<<<4096, 256>>>(reinterpret_cast<float*>(source.data()), ring_bytes / sizeof(float), sum.data());
  check(cudaDeviceSynchronize(), "fill");
  const double expected = static_cast<double>(sum.copy()[0]);
  const auto time = [&](const contestant& who, std::size_t index, u32 tile, int blocks) {
    const bool is_ring = !who.kernels.empty();
    const char* in = source.data();
    u32 count = static_cast<u32>(ring_bytes / (is_ring ? tile : sizeof(float4)));
    double* out = total.data();
    void* arguments[] = {&in, &count, &out};
    check(cudaMemset(out, 0, sizeof(double)), who.name);
    const int multiprocessors = gpu::current().multiprocessors;
    double spent = 0;
    if (is_ring) {
      spent = microseconds(who.kernels[index], blocks * multiprocessors, who.threads, arguments, who.name,
                           static_cast<int>(tile * ring_stages[index]));
    } else {
      int room = 0;
      check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&room, who.kernel, stream_threads, 0), who.name);
      spent = microseconds(who.kernel, room * multiprocessors, stream_threads, arguments, who.name);
    }
    return checked(spent, total.copy()[0], expected, who);
  };
  for (const u32 tile : ring_tiles)
    for (const int blocks : {1, 2}) {
      if (blocks == 2 && tile != 16384) continue;
      std::vector<std::string> names;
      for (const u32 stages : ring_stages)
        if (tile * stages * static_cast<u32>(blocks) <= ring_shared_bytes)
          names.push_back(std::to_string(stages) + " stages" + (blocks == 1 ? "" : " x 2"));
      const auto sample = [&](const contestant& who, std::size_t index) { return time(who, index, tile, blocks); };
      results.add(measure(enrolled("ring", ring_name(tile)), names.size(), repetitions, sample), names,
                  "1 GiB through rings of " + ring_name(tile) + ", stages (x blocks per multiprocessor)", "us");
    }
}

}  // namespace bench
