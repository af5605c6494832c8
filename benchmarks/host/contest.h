// A contest of host threads for a semaphore or a lock, for any contestant: nanoseconds per round of taking and releasing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_CONTEST_H
#define CUDASYNC_BENCHMARKS_HOST_CONTEST_H

#include <atomic>
#include <thread>

#include "../harness.h"

namespace bench {

inline constexpr const char* semaphore_name = "semaphore with half as many permits as threads";
inline constexpr const char* binary_name = "binary semaphore";
inline constexpr const char* spinlock_name = "spinlock";

inline constexpr unsigned rounds_of_thread = 20000;

// A contestant is a class that is constructed from a number of permits, with void acquire() and void release().
// Returns the nanoseconds per round. threads: the number of threads that compete.
template <class Way>
double contest(int threads, int permits) {
  Way way(permits);
  std::atomic<int> ready{0};
  std::vector<std::thread> all;
  const auto run = [&] {
    ++ready;
    while (ready.load() != threads)
      std::this_thread::yield();
    for (unsigned round = 0; round < rounds_of_thread; ++round) {
      way.acquire();
      way.release();
    }
  };
  for (int number = 1; number < threads; ++number)
    all.emplace_back(run);
  const stopwatch time;
  run();
  for (std::thread& each : all)
    each.join();
  return time.seconds() * 1e9 / (static_cast<double>(threads) * rounds_of_thread);
}

using contest_function = double (*)(int threads, int permits);

template <class Way>
void enroll_contest(const char* operation, const std::string& name, const std::string& kind) {
  const contest_function function = &contest<Way>;
  contestants().push_back({"host", operation, name, kind, "native", reinterpret_cast<const void*>(function), nullptr});
}

}  // namespace bench

#endif
