// The contestants of both cudasync and CCCL, with the <cuda/barrier> and <cuda/pipeline> that were included.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_BANDWIDTH_LIBRARY_H
#define CUDASYNC_BENCHMARKS_BANDWIDTH_LIBRARY_H

#include <cooperative_groups.h>

#include "group_copy.h"
#include "hand.h"
#include "ring.h"
#include "thread_ring.h"

namespace bench { namespace {

template <u32 Tile>
__device__ __forceinline__ float4* vectors_of(char* stages, u32 stage) {
  return reinterpret_cast<float4*>(stages + stage * Tile);
}
template <u32 Tile>
__device__ __forceinline__ const float4* vectors_at(const tile_range& all, u32 tile) {
  return reinterpret_cast<const float4*>(tile_at<Tile>(all, tile));
}

// --- The ring with barriers and memcpy_async_tx. Wait: wait(barrier, parity). ---

template <class Wait>
struct tx_ring {
  static constexpr u32 threads = ring_consumers + warp_size;
  using barrier = cuda::barrier<cuda::thread_scope_block>;

  template <u32 Stages>
  struct shared {
    barrier full[Stages];
    barrier empty[Stages];
  };

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    if (threadIdx.x == 0) {
      for (u32 stage = 0; stage < Stages; ++stage) {
        init(&barriers.full[stage], 1);
        init(&barriers.empty[stage], ring_consumers / warp_size);
      }
      ptx::fence_init();
    }
    __syncthreads();
    float4 sum{0, 0, 0, 0};
    ring_place<Stages> at;
    if (threadIdx.x == ring_consumers)
      for (u32 tile = all.first; tile < all.end; tile += all.step) {
        Wait::wait(barriers.empty[at.stage], at.parity == 0);
        precede_copies();
        barrier& full = barriers.full[at.stage];
        static_cast<void>(cuda::device::barrier_arrive_tx(full, 1, Tile));
        cuda::device::memcpy_async_tx(vectors_of<Tile>(stages, at.stage), vectors_at<Tile>(all, tile),
                                      cuda::aligned_size_t<16>(Tile), full);
        at.advance();
      }
    if (threadIdx.x < ring_consumers)
      for (u32 tile = all.first; tile < all.end; tile += all.step) {
        Wait::wait(barriers.full[at.stage], at.parity != 0);
        consume<Tile>(stages + at.stage * Tile, threadIdx.x, sum);
        __syncwarp();
        if (threadIdx.x % warp_size == 0) static_cast<void>(barriers.empty[at.stage].arrive());
        at.advance();
      }
    return sum;
  }
};

// --- The ring as cuda::pipeline ---

template <u32 Stages>
struct pipeline_shared {
  cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
};

template <bool IsWarp>
struct partitioned_ring {
  static constexpr u32 threads = ring_consumers + (IsWarp ? warp_size : 1);
  template <u32 Stages>
  using shared = pipeline_shared<Stages>;

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    const auto block = cooperative_groups::this_thread_block();
    const bool is_producer = threadIdx.x >= ring_consumers;
    auto pipe = cuda::make_pipeline(block, &barriers.state,
                                    is_producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    float4 sum{0, 0, 0, 0};
    ring_place<Stages> at;
    if (is_producer) {
      for (u32 tile = all.first; tile < all.end; tile += all.step) {
        float4* const to = vectors_of<Tile>(stages, at.stage);
        const float4* const from = vectors_at<Tile>(all, tile);
        const cuda::aligned_size_t<16> bytes(Tile);
        pipe.producer_acquire();
        if constexpr (IsWarp)
          cuda::memcpy_async(cooperative_groups::tiled_partition<warp_size>(block), to, from, bytes, pipe);
        else
          cuda::memcpy_async(to, from, bytes, pipe);
        pipe.producer_commit();
        at.advance();
      }
    } else {
      for (u32 tile = all.first; tile < all.end; tile += all.step) {
        pipe.consumer_wait();
        consume<Tile>(stages + at.stage * Tile, threadIdx.x, sum);
        pipe.consumer_release();
        at.advance();
      }
    }
    return sum;
  }
};

struct unified_ring {
  static constexpr u32 threads = ring_consumers;
  template <u32 Stages>
  using shared = pipeline_shared<Stages>;

  template <u32 Tile, u32 Stages>
  static __device__ __forceinline__ float4 run(shared<Stages>& barriers, char* stages, const tile_range& all) {
    const auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &barriers.state);
    float4 sum{0, 0, 0, 0};
    ring_place<Stages> next;
    ring_place<Stages> at;
    u32 fetched = all.first;
    for (u32 tile = all.first; tile < all.end; tile += all.step) {
      for (; fetched < all.end && fetched < tile + Stages * all.step; fetched += all.step) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, vectors_of<Tile>(stages, next.stage), vectors_at<Tile>(all, fetched),
                           cuda::aligned_size_t<16>(Tile), pipe);
        pipe.producer_commit();
        next.advance();
      }
      pipe.consumer_wait();
      consume<Tile>(stages + at.stage * Tile, threadIdx.x, sum);
      pipe.consumer_release();
      at.advance();
    }
    return sum;
  }
};

// --- Each thread's own ring ---

template <class Pipeline, class Element>
__device__ __forceinline__ void fetch(Pipeline& pipe, const thread_stages<Element>& stages, u32 stage, u32 number) {
  pipe.producer_acquire();
  cuda::memcpy_async(stages.place(stage), stages.element(number), sizeof(Element), pipe);
  pipe.producer_commit();
}

struct steady_loop {
  template <class Element, u32 Stages>
  static __device__ __forceinline__ u32 run(const thread_stages<Element>& stages, u32 count) {
    auto pipe = cuda::make_pipeline();
    u32 sum = 0;
    for (u32 stage = 0; stage < Stages; ++stage)
      fetch(pipe, stages, stage, stage);
    u32 stage = 0;
#pragma unroll 1
    for (u32 number = Stages; number < count; ++number) {
      pipe.consumer_wait();
      sum += sum_of(*stages.place(stage));
      pipe.consumer_release();
      fetch(pipe, stages, stage, number);
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
#pragma unroll 1
    for (u32 left = Stages; left != 0; --left) {
      pipe.consumer_wait();
      sum += sum_of(*stages.place(stage));
      pipe.consumer_release();
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
    return sum;
  }
};

struct prefetch_loop {
  template <class Element, u32 Stages>
  static __device__ __forceinline__ u32 run(const thread_stages<Element>& stages, u32 count) {
    auto pipe = cuda::make_pipeline();
    u32 sum = 0;
    u32 fetched = 0;
    u32 next = 0;
    u32 stage = 0;
#pragma unroll 1
    for (u32 number = 0; number < count; ++number) {
#pragma unroll 1
      for (; fetched < count && fetched < number + Stages; ++fetched) {
        fetch(pipe, stages, next, fetched);
        next = next + 1 == Stages ? 0 : next + 1;
      }
      pipe.consumer_wait();
      sum += sum_of(*stages.place(stage));
      pipe.consumer_release();
      stage = stage + 1 == Stages ? 0 : stage + 1;
    }
    return sum;
  }
};

// --- A copy by all threads of the block ---

template <class Size>
__device__ __forceinline__ Size copy_size(u32 bytes) {
  return Size(bytes);
}

template <class Value, class Size>
struct block_copy {
  cuda::barrier<cuda::thread_scope_block> bar;

  __device__ __forceinline__ void start() {
    if (threadIdx.x == 0) {
      init(&bar, static_cast<std::ptrdiff_t>(blockDim.x));
      ptx::fence_init();
    }
  }
  __device__ __forceinline__ void copy(char* destination, const char* source, u32 bytes, u32) {
    cuda::memcpy_async(cooperative_groups::this_thread_block(), reinterpret_cast<Value*>(destination),
                       reinterpret_cast<const Value*>(source), copy_size<Size>(bytes), bar);
    bar.arrive_and_wait();
  }
};

template <class Value>
void enroll_block_copy(const std::string& name, const std::string& kind, const std::string& type) {
  enroll_group_copy<block_copy<Value, std::size_t>>(name + ", " + type + "*, size_t", kind);
  enroll_group_copy<block_copy<Value, cuda::aligned_size_t<16>>>(name + ", " + type + "*, aligned_size_t", kind);
}

// --- All contestants. PART: 0 to 4, the part that this translation unit compiles. ---

template <class Wait>
void enroll_library(const std::string& name, const std::string& kind) {
#if BENCH_PART == 0
  enroll_ring<tx_ring<Wait>>(name + ", memcpy_async_tx", kind);
#elif BENCH_PART == 1
  enroll_ring<partitioned_ring<true>>(name + ", pipeline, producer warp", kind);
#elif BENCH_PART == 2
  enroll_ring<partitioned_ring<false>>(name + ", pipeline, producer thread", kind);
#elif BENCH_PART == 3
  enroll_ring<unified_ring>(name + ", pipeline, unified", kind);
#else
  enroll_thread_ring<steady_loop>(name, kind, steady_name);
  enroll_thread_ring<prefetch_loop>(name, kind, prefetch_name);
  enroll_block_copy<char>(name, kind, "char");
  enroll_block_copy<int>(name, kind, "int");
  enroll_block_copy<float4>(name, kind, "float4");
#endif
}

}}  // namespace bench

#endif
