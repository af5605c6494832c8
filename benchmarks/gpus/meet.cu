// The time of a phase of a barrier of several GPUs: ours, and shapes that kernels write by hand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "world.h"

namespace bench {
namespace {

constexpr unsigned phases = 2000;
constexpr unsigned threads = 256;
const char* const all_blocks = "all blocks of all ranks";
const char* const same_index = "the blocks with the same index of all ranks";

struct by_peer_barrier {
  cudasync::peer_barrier<most_ranks> bar;
  cudasync::participant own;

  __device__ by_peer_barrier(const world& all, unsigned)
      : bar(all.all, all.rank(), all.ranks), own{all.block(), all.blocks_of_rank()} {}
  __device__ void meet() { bar.arrive_and_wait(own); }
};
struct by_peer_block_barrier {
  cudasync::peer_block_barrier<most_ranks> bar;

  __device__ by_peer_block_barrier(const world& all, unsigned) : bar(all.blocks, all.rank(), all.ranks, all.block()) {}
  __device__ void meet() { bar.arrive_and_wait(); }
};
struct by_grid_barrier {
  const world& all;

  __device__ by_grid_barrier(const world& where, unsigned) : all(where) {}
  __device__ void meet() {
    const unsigned blocks = all.blocks_of_rank();
    all.memory[0]->grid.arrive_and_wait(cudasync::participant{all.rank() * blocks + all.block(), all.ranks * blocks});
  }
};
struct by_flags : flags_by_hand {
  __device__ by_flags(const world& all, unsigned) : flags_by_hand(all) {}
};

// One counter, on the GPU of rank 0, which only increases.
struct by_flat_counter {
  const world& all;
  unsigned goal;

  __device__ by_flat_counter(const world& where, unsigned before)
      : all(where), goal(before * where.ranks * where.blocks_of_rank()) {}
  __device__ void meet() {
    goal += all.ranks * all.blocks_of_rank();
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned* const counter = &all.memory[0]->counter;
      asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(counter)) : "memory");
      unsigned found;
      do
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                     : "=r"(found)
                     : "l"(__cvta_generic_to_global(counter))
                     : "memory");
      while (static_cast<int>(found - goal) < 0);
    }
    __syncthreads();
  }
};

// A counter on each GPU, to which every block of every rank adds.
struct by_counter_on_each {
  const world& all;
  unsigned goal;

  __device__ by_counter_on_each(const world& where, unsigned before)
      : all(where), goal(before * where.ranks * where.blocks_of_rank()) {}
  __device__ void meet() {
    goal += all.ranks * all.blocks_of_rank();
    __syncthreads();
    if (threadIdx.x < all.ranks) {
      unsigned* const there = &all.memory[threadIdx.x]->counter;
      asm volatile("red.release.sys.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(there)) : "memory");
    }
    if (threadIdx.x == 0) {
      const unsigned* const here = &all.own().counter;
      unsigned found;
      do
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                     : "=r"(found)
                     : "l"(__cvta_generic_to_global(here))
                     : "memory");
      while (static_cast<int>(found - goal) < 0);
    }
    __syncthreads();
  }
};

template <class Barrier>
__global__ void meet(const __grid_constant__ world all, unsigned before, unsigned count) {
  Barrier bar(all, before);
  for (unsigned phase = 0; phase < count; ++phase)
    bar.meet();
}

template <class Barrier>
void enroll(const char* operation, const char* name, const char* kind) {
  contestants().push_back(
      {"meet", operation, name, kind, "native", reinterpret_cast<const void*>(meet<Barrier>), nullptr});
}
const bool is_enrolled = [] {
  enroll<by_peer_barrier>(all_blocks, "peer_barrier", "ours");
  enroll<by_flat_counter>(all_blocks, "one counter for all blocks", hand);
  enroll<by_counter_on_each>(all_blocks, "a counter on each GPU", hand);
  enroll<by_grid_barrier>(all_blocks, "grid_barrier of system scope", "reference");
  enroll<by_peer_block_barrier>(same_index, "peer_block_barrier", "ours");
  enroll<by_flags>(same_index, "two flags of each block and rank", hand);
  return true;
}();

}  // namespace

void run_meet(report& results) {
  for (const unsigned count : ranks::counts()) {
    std::vector<unsigned> blocks;
    std::vector<std::string> names;
    for (const unsigned each : {1u, 8u, 32u, 64u, 132u})
      if (each <= ranks::blocks_that_fit(count)) {
        blocks.push_back(each);
        names.push_back(std::to_string(count) + " x " + std::to_string(each));
      }
    const auto sample = [&](const contestant& who, std::size_t index) {
      const ranks all(count);
      all.start(who.kernel, blocks[index], threads, 0, 0);  // loads it
      all.finish();
      all.start(who.kernel, blocks[index], threads, 0, 20);
      all.finish();
      const auto start = std::chrono::steady_clock::now();
      all.start(who.kernel, blocks[index], threads, 20, phases);
      all.finish();
      const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
      return time.count() / phases;
    };
    for (const char* operation : {all_blocks, same_index})
      results.add(measure(enrolled("meet", operation), names.size(), 5, sample), names,
                  std::to_string(count) + " " + ranks::place() + ": " + operation + ", ranks x blocks", "ns per phase");
  }
}

}  // namespace bench
