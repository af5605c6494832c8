// Measures device-scope latches: cycles from one latch to the next, with one block on two or all multiprocessors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "latch.h"

#include "hand.h"

namespace bench {
namespace {

constexpr unsigned warm_up = 10;
constexpr unsigned measured = 150;
constexpr int repetitions = 7;

struct raw_latch {
  unsigned count;

  __device__ __forceinline__ void init(unsigned expected) { count = expected; }
  __device__ __forceinline__ void count_down() { reduce_add_release(&count, ~0u); }
  __device__ __forceinline__ void wait() {
    while (load_acquire(&count) != 0) {
    }
  }
  __device__ __forceinline__ void arrive_and_wait() {
    count_down();
    wait();
  }
};

const bool is_enrolled = [] {
  enroll_latch<raw_latch>("counter, acquire spin", hand);
  return true;
}();

}  // namespace

void run_latch(report& results) {
  struct configuration {
    int blocks;
    int threads;
  };
  const int multiprocessors = gpu::current().multiprocessors;
  std::vector<configuration> configurations;
  std::vector<std::string> names;
  for (const int blocks : {2, multiprocessors})
    for (const int threads : {1, 32, 256}) {
      configurations.push_back({blocks, threads});
      names.push_back(std::to_string(blocks) + " x " + std::to_string(threads));
    }
  const device_array<char> storage(std::size_t{128} * (warm_up + measured));
  const auto sample = [&](const contestant& who, std::size_t index) {
    const configuration& chosen = configurations[index];
    void* latches = storage.data();
    unsigned number = warm_up + measured;
    unsigned expected = static_cast<unsigned>(chosen.blocks * chosen.threads);
    void* prepare_arguments[] = {&latches, &number, &expected};
    launch(who.prepare, 1, 256, prepare_arguments, 0, false, "init of " + who.name);
    const device_array<long long> cycles(static_cast<std::size_t>(chosen.blocks));
    unsigned before = warm_up;
    unsigned count = measured;
    long long* out = cycles.data();
    void* arguments[] = {&latches, &before, &count, &out};
    launch(who.kernel, chosen.blocks, chosen.threads, arguments, bytes_that_limit_blocks_to(1), true,
           who.operation + ", " + who.name);
    return median(cycles.copy()) / measured;
  };
  results.add(measure(enrolled("latch", latch_name), names.size(), repetitions, sample), names,
              std::string("latches of device scope: ") + latch_name + ", blocks x threads", "cycles per latch");
}

}  // namespace bench
