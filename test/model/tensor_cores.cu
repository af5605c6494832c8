// Rings whose stages tensor cores read, and rings of accumulators.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"
#include "machine/tensor_map.h"

#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>
#include <cudasync/turns.h>

// The machine's tensor cores add numbers instead of multiplying.
constexpr int tiles = 5;
constexpr int steps = 3;  // of a tile
constexpr int words = 4;  // that a tensor core reads of a stage

// Two warps consume this number of stages each, alternately, so that their states skip stages, also several rounds. A warp
// that did not wait for its turn could find that a stage has the parity of the round before the skipped one.
template <unsigned Stages>
__device__ void skip_stages(unsigned* failures, const int* source, unsigned each) {
  constexpr int turns_of_each = 3;
  using ring = cudasync::bulk_pipeline<Stages, cudasync::consumer_warps<1>>;
  using order = cudasync::turns<2, 1, 32>;
  __shared__ ring pipe;
  __shared__ order in_turn;
  alignas(16) __shared__ int stage[Stages][words];
  in_turn.init(cudasync::this_thread_block());
  pipe.init(cudasync::this_thread_block());
  const int all = static_cast<int>(2 * turns_of_each * each);
  if (threadIdx.x == 64) {
    typename ring::producer_state at;
    for (int tile = 0; tile < all; ++tile, at.advance())
      pipe.acquire_and_copy(at, stage[at.index()], source + tile * words, cuda::aligned_size_t<16>(sizeof stage[0]));
    pipe.producer_tail(at);
  } else if (threadIdx.x < 64) {
    const unsigned group = threadIdx.x / 32;
    typename order::place mine(in_turn, group);
    typename ring::consumer_state at;
    at.advance(group * each);
    int tile = static_cast<int>(group * each);
    for (int turn = 0; turn < turns_of_each; ++turn, tile += static_cast<int>(each), at.advance(each)) {
      mine.wait();
      for (unsigned part = 0; part < each; ++part, ++tile, at.advance()) {
        pipe.consumer_wait(at);
        EXPECT(stage[at.index()][threadIdx.x % words] == tile);
        pipe.consumer_release(at);
      }
      mine.pass();
    }
  }
  __syncthreads();
}

// Skips of a part of a round, of exactly one, two and three rounds, and of a part more.
// run: grid=1 block=96 needs=90 seeds=2
extern "C" __global__ void skipped_stages(unsigned* failures, int* scratch) {
  if (threadIdx.x < words)
    for (int tile = 0; tile < 2 * 3 * 9; ++tile)
      scratch[tile * words + threadIdx.x] = tile;
  __syncthreads();
  for (const unsigned each : {1u, 3u})
    skip_stages<1>(failures, scratch, each);
  for (const unsigned each : {1u, 4u, 5u})
    skip_stages<2>(failures, scratch, each);
  for (const unsigned each : {2u, 6u, 8u})
    skip_stages<3>(failures, scratch, each);
  for (const unsigned each : {3u, 9u})
    skip_stages<4>(failures, scratch, each);
}

template <unsigned Stages>
__device__ void skip(cudasync::ring_state<Stages>& at, unsigned count) {
  at.advance(count);
}
template <unsigned Stages>
__device__ auto position_of(const cudasync::ring_state<Stages>& at) {
  return at;
}
template <unsigned Stages>
__device__ void skip(cudasync::committed_ring_state<Stages>& at, unsigned count) {
  at.skip(count);
}
template <unsigned Stages>
__device__ auto position_of(const cudasync::committed_ring_state<Stages>& at) {
  return at.position();
}
// Skips of 0 to 5 rounds, from each stage of even and odd rounds, are as many steps.
template <unsigned Stages, class State>
__device__ void skip_in_one_step(unsigned* failures) {
  for (unsigned start = 0; start < 2 * Stages; ++start) {
    cudasync::ring_state<Stages> step_by_step;
    for (unsigned step = 0; step < start; ++step)
      step_by_step.advance();
    for (unsigned count = 0; count <= 5 * Stages; ++count, step_by_step.advance()) {
      State at;
      skip(at, start);
      skip(at, count);
      EXPECT(position_of(at).index() == step_by_step.index() && position_of(at).parity() == step_by_step.parity());
    }
  }
}
template <unsigned Stages>
__device__ void skip_both(unsigned* failures) {
  skip_in_one_step<Stages, cudasync::ring_state<Stages>>(failures);
  skip_in_one_step<Stages, cudasync::committed_ring_state<Stages>>(failures);
}
// run: block=1 needs=90 seeds=1
extern "C" __global__ void skips(unsigned* failures, int*) {
  skip_both<1>(failures);
  skip_both<2>(failures);
  skip_both<3>(failures);
  skip_both<4>(failures);
  skip_both<7>(failures);
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

// A and B are the same here. The machine only reads them.
__device__ void begin_to_multiply(float (&sums)[4], const int* stage) {
  const unsigned long long descriptor = (__cvta_generic_to_shared(stage) & 0x3ffff) >> 4;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{ .reg .pred add; setp.eq.u32 add, 0, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, add, 1, 1, 0, 0; }"
               : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
               : "l"(descriptor)
               : "memory");
}

// Each block copies a half of each tile, to itself or to both blocks. One warpgroup of each block reads all tiles.
template <unsigned Pending, unsigned Blocks, class Group>
__device__ void read_by_warpgroup(const Group& group, unsigned rank, int* scratch) {
  using ring = cudasync::bulk_pipeline<3, cudasync::consumer_warpgroups<1, Pending>, Blocks>;
  __shared__ ring pipe;
  alignas(128) __shared__ int stage[3][Blocks][32];
  pipe.init(group);
  if (threadIdx.x < 128) {
    float sums[4] = {};
    typename ring::consumer_state place;
    for (int part = 0; part < 2; ++part) {
      for (int tile = 0; tile < tiles; ++tile) {
        pipe.consumer_wait(place);
        for (unsigned half = 0; half < Blocks; ++half)
          begin_to_multiply(sums, stage[place.index()][half]);
        pipe.consumer_commit(place);
      }
      pipe.consumer_finish(place);
    }
  } else if (threadIdx.x == 128) {
    typename ring::producer_state place;
    for (int tile = 0; tile < 2 * tiles; ++tile, place.advance()) {
      pipe.producer_acquire(place, sizeof stage[0]);
      const auto size = cuda::aligned_size_t<16>(sizeof stage[0][0]);
      if constexpr (Blocks == 1)
        pipe.copy(place, stage[place.index()][rank], scratch, size);
      else
        pipe.copy_to_blocks(place, stage[place.index()][rank], scratch, size, 3);
    }
    pipe.producer_tail(place);
  }
}

#endif

// run: grid=1 block=160 needs=90
extern "C" __global__ void stages_of_warpgroups(unsigned*, int* scratch) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  read_by_warpgroup<0, 1>(cudasync::this_thread_block(), 0, scratch);
  __syncthreads();
  read_by_warpgroup<1, 1>(cudasync::this_thread_block(), 0, scratch);
  __syncthreads();
  read_by_warpgroup<2, 1>(cudasync::this_thread_block(), 0, scratch);
#endif
}

// run: grid=2 block=160 cluster=2 needs=90 seeds=6
extern "C" __global__ void stages_of_warpgroups_of_cluster(unsigned*, int* scratch) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  const auto cluster = cudasync::this_cluster();
  read_by_warpgroup<1, 2>(cluster, cluster.block_rank(), scratch);
#endif
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000

// Begins to add what is in the stage of this block, or of both blocks of the pair, twice.
template <int Blocks>
__device__ void begin_to_add(unsigned accumulator, const int* stage, bool adds) {
  const unsigned long long descriptor = (__cvta_generic_to_shared(stage) & 0x3ffff) >> 4;
  if constexpr (Blocks == 1)
    asm volatile("{ .reg .pred adds; setp.ne.u32 adds, %3, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %1, %2, adds; }" ::"r"(accumulator),
                 "l"(descriptor), "r"(0), "r"(static_cast<unsigned>(adds))
                 : "memory");
  else
    asm volatile("{ .reg .pred adds; setp.ne.u32 adds, %3, 0;\n"
                 "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %1, %2, adds; }" ::"r"(accumulator),
                 "l"(descriptor), "r"(0), "r"(static_cast<unsigned>(adds))
                 : "memory");
}
__device__ unsigned begin_to_load(unsigned accumulator) {
  unsigned result;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(result) : "r"(accumulator) : "memory");
  return result;
}

template <class Ring, class Accumulators, int Blocks>
struct product {
  static constexpr int box_words = 32;
  alignas(128) int stage[Ring::stages][box_words];
  Ring pipe;
  Accumulators accumulators;

  __device__ void produce(const model::tensor_map& map, int rank) {
    typename Ring::producer_state at;
    const CUtensorMap* const boxes = reinterpret_cast<const CUtensorMap*>(&map);
    cudasync::device::acquire_tensor_map(boxes);
    for (int box = 0; box < tiles * steps; ++box, at.advance()) {
      pipe.producer_acquire(at, sizeof stage[0]);
      pipe.copy(at, stage[at.index()], boxes, {(box * Blocks + rank) * box_words});
    }
    pipe.producer_tail(at);
  }
  __device__ void multiply() {
    typename Ring::consumer_state at;
    typename Accumulators::producer_state to;
    for (int tile = 0; tile < tiles; ++tile) {
      accumulators.producer_acquire(to);
      const unsigned accumulator = to.index();
      for (int step = 0; step < steps; ++step) {
        pipe.consumer_wait(at);
        begin_to_add<Blocks>(accumulator, stage[at.index()], step != 0);
        pipe.consumer_commit(at);
      }
      accumulators.producer_commit(to);
    }
    accumulators.producer_tail(to);
    if constexpr (Blocks == 1) {  // the columns are free for something else
      for (unsigned accumulator = 0; accumulator < 2; ++accumulator)
        begin_to_add<Blocks>(accumulator, stage[0], false);
      accumulators.producer_commit(to);
      typename Accumulators::consumer_state last;
      for (int tile = 0; tile < tiles; ++tile)
        last.advance();
      accumulators.consumer_wait(last);
    }
  }
  // Each box has its number plus one in its first words.
  __device__ void store(unsigned* failures) {
    typename Accumulators::consumer_state at;
    for (int tile = 0; tile < tiles; ++tile, at.advance()) {
      accumulators.consumer_wait(at);
      unsigned result = begin_to_load(at.index());
      accumulators.consumer_release(at);
      unsigned expected = 0;
      for (int box = tile * steps * Blocks; box < (tile + 1) * steps * Blocks; ++box)
        expected += 2 * words * (box + 1);
      asm volatile("" : "+r"(result));
      EXPECT(result == expected);
    }
  }
  template <class Group>
  __device__ void run(const Group& group, int rank, unsigned* failures, int* scratch) {
    alignas(128) __shared__ model::tensor_map map;
    if (threadIdx.x == 0) {
      map = {reinterpret_cast<unsigned long long>(scratch + 1024), {}, {1u << 14}, {box_words}, {1}};
      map.element_bytes = sizeof stage[0][0];
    }
    if (rank == 0)
      for (int box = 0; box < tiles * steps * Blocks; ++box)
        if (threadIdx.x < box_words) scratch[1024 + box * box_words + threadIdx.x] = box + 1;
    pipe.init(group);
    accumulators.init(group);
    if (threadIdx.x < 64)
      store(failures);
    else if (threadIdx.x == 64)
      produce(map, rank);
    else if (threadIdx.x == 96 && rank == 0)
      multiply();
  }
};

#endif

// run: grid=1 block=128 needs=100 seeds=10
extern "C" __global__ void stages_of_tensor_cores(unsigned* failures, int* scratch) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_mma>;
  using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<2>>;
  __shared__ product<ring, results, 1> all;
  all.run(cudasync::this_thread_block(), 0, failures, scratch);
#endif
}

// run: grid=2 block=128 cluster=2 needs=100 seeds=10
extern "C" __global__ void stages_of_pairs(unsigned* failures, int* scratch) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  using ring = cudasync::bulk_pipeline<2, cudasync::consumer_mma_pair, 2>;
  using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<2>, 2>;
  __shared__ product<ring, results, 2> all;
  all.run(cudasync::this_cluster(), static_cast<int>(cudasync::this_cluster().block_rank()), failures, scratch);
#endif
}
