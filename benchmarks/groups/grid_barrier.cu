// Measures a barrier of all blocks of a grid: cycles per phase, with two blocks, or one to eight on every multiprocessor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "grid_barrier.h"

#include <cooperative_groups.h>

#include "hand.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 20;
constexpr unsigned measured = 300;
constexpr int repetitions = 11;

struct configuration {
  int blocks;  // per multiprocessor, or 0 for two blocks in all
  int threads;

  int grid() const { return blocks == 0 ? 2 : blocks * gpu::current().multiprocessors; }
};
constexpr configuration configurations[] = {{0, 256},  {1, 32}, {1, 128}, {1, 256}, {1, 512},
                                            {1, 1024}, {4, 32}, {4, 256}, {4, 512}, {8, 256}};

// One thread of each block arrives. All arrivals of a phase together flip bit 31.
struct leader_counter {
  unsigned word;

  __device__ __forceinline__ void arrive_and_wait() {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned before = add_release(&word, blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u);
      while (((load_acquire(&word) ^ before) & 0x80000000u) == 0) {
      }
    }
    __syncthreads();
  }
};

struct grid_sync {
  unsigned unused;

  __device__ __forceinline__ void arrive_and_wait() { cooperative_groups::this_grid().sync(); }
};

const bool is_enrolled = [] {
  enroll_grid_barrier<leader_counter>("counter, a thread a block, acquire spin", hand);
  enroll_grid_barrier<two_lines>("counter and phase in two lines, acquire spin", hand);
  enroll_grid_barrier<grid_sync>("cooperative_groups, grid.sync()", "reference");
  return true;
}();

}  // namespace

void run_grid_barrier(report& results) {
  std::vector<std::string> names;
  for (const configuration& each : configurations)
    names.push_back(std::to_string(each.grid()) + " x " + std::to_string(each.threads));
  const auto sample = [&](const contestant& who, std::size_t index) {
    const configuration& chosen = configurations[index];
    const int blocks = chosen.grid();
    const device_array<char> storage(256);
    const device_array<long long> cycles(static_cast<std::size_t>(blocks));
    void* bar = storage.data();
    unsigned before = warm_up;
    unsigned count = measured;
    long long* out = cycles.data();
    void* arguments[] = {&bar, &before, &count, &out};
    launch(who.kernel, blocks, chosen.threads, arguments, bytes_that_limit_blocks_to(std::max(chosen.blocks, 1)), true,
           who.operation + ", " + who.name);
    return median(cycles.copy()) / measured;
  };
  results.add(measure(enrolled("grid_barrier", grid_phase_name), names.size(), repetitions, sample), names,
              std::string("grid: ") + grid_phase_name + ", blocks x threads", "cycles per phase");
}

}  // namespace bench
