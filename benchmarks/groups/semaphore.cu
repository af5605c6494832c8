// Measures contended device-scope semaphores: cycles per round of acquire, hold and release in the slowest thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "semaphore.h"

namespace bench {
namespace {

constexpr int repetitions = 7;

struct raw_semaphore {
  unsigned count;

  __device__ __forceinline__ void init(unsigned permits) { count = permits; }
  __device__ __forceinline__ void acquire() {
    for (;;) {
      const unsigned found = read_relaxed(&count);
      if (found != 0 && compare_swap_acquire(&count, found, found - 1) == found) return;
    }
  }
  __device__ __forceinline__ void release() { reduce_add_release(&count, 1); }
};

// One permit, in the order of the calls.
struct ticket_lock {
  unsigned next;
  alignas(128) unsigned serving;

  __device__ __forceinline__ void init(unsigned) { next = serving = 0; }
  __device__ __forceinline__ void acquire() {
    const unsigned ticket = add_relaxed(&next, 1);
    while (load_acquire(&serving) != ticket) {
    }
  }
  __device__ __forceinline__ void release() { store_release(&serving, read_relaxed(&serving) + 1); }
};

// A flag without permits: threads can only wait for a release. It is the reference for the wake-up latency.
struct flag_spin {
  unsigned value;

  __device__ __forceinline__ void init(unsigned) { value = 0; }
  __device__ __forceinline__ void arrive_only(unsigned) { reduce_add_release(&value, 1); }
  __device__ __forceinline__ void arrive_and_wait(unsigned phase) {
    while (load_acquire(&value) == phase) {
    }
  }
};

const bool is_enrolled = [] {
  enroll_semaphore<raw_semaphore>("counter, relaxed spin, compare-and-swap", hand);
  enroll_semaphore<ticket_lock>("ticket lock, in order", "reference", 1);
  enroll_device_wakeup<flag_spin>("acquire spin, nothing is taken", hand, "native", semaphore_wakeup);
  enroll_semaphore_wakeup<raw_semaphore>("counter, relaxed spin, compare-and-swap", "reference");
  return true;
}();

struct configuration {
  int blocks;
  int threads;
};

// Each thread acquires and releases a permit a number of times, after a few warm-up rounds.
void add_tables(report& results, const std::vector<configuration>& configurations, unsigned permits, unsigned warm_up,
                unsigned measured) {
  std::vector<std::string> names;
  for (const configuration& each : configurations)
    names.push_back(std::to_string(each.blocks) + " x " + std::to_string(each.threads));
  const device_array<char> storage(256);
  for (const unsigned hold : {0u, 1000u}) {
    const auto sample = [&](const contestant& who, std::size_t index) {
      const configuration& chosen = configurations[index];
      void* semaphore = storage.data();
      unsigned first = permits;
      void* prepare_arguments[] = {&semaphore, &first};
      launch(who.prepare, 1, 1, prepare_arguments, 0, false, "init of " + who.name);
      const device_array<unsigned> start(1);
      const device_array<long long> cycles(static_cast<std::size_t>(chosen.blocks * chosen.threads));
      unsigned* line = start.data();
      unsigned before = warm_up;
      unsigned count = measured;
      unsigned held = hold;
      long long* out = cycles.data();
      void* arguments[] = {&semaphore, &line, &before, &count, &held, &out};
      launch(who.kernel, chosen.blocks, chosen.threads, arguments, bytes_that_limit_blocks_to(1), true,
             who.operation + ", " + who.name);
      const std::vector<long long> found = cycles.copy();
      return static_cast<double>(*std::max_element(found.begin(), found.end())) / measured;
    };
    const std::string held_for = ", held for " + std::to_string(hold) + " cycles";
    const std::string operation = semaphore_operation(permits);
    std::vector<row> rows = measure(enrolled("semaphore", operation), names.size(), repetitions, sample);
    for (row& each : rows)
      each.who.operation += held_for;
    results.add(rows, names, "semaphore of device scope: " + operation + held_for + ", blocks x threads",
                "cycles per round of the slowest thread");
  }
}

}  // namespace

void run_semaphore(report& results) {
  const int multiprocessors = gpu::current().multiprocessors;
  for (const unsigned permits : permit_numbers)
    add_tables(results, {{1, 1}, {2, 1}, {8, 1}, {32, 1}, {multiprocessors, 1}}, permits, 4, 40);
}

// All threads of whole warps compete.
void run_semaphore_warps(report& results) {
  add_tables(results, {{gpu::current().multiprocessors, 32}}, 64, 1, 8);
}

}  // namespace bench
