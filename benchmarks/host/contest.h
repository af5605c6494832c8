// A contest of host threads for a semaphore or a lock, for any contestant: nanoseconds per round of taking and releasing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BENCHMARKS_HOST_CONTEST_H
#define CUDASYNC_BENCHMARKS_HOST_CONTEST_H

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "../harness.h"

namespace bench {

inline constexpr const char* semaphore_name = "semaphore with half as many permits as threads";
inline constexpr const char* binary_name = "binary semaphore";
inline constexpr const char* spinlock_name = "spinlock";

inline constexpr std::chrono::milliseconds duration{20};

// A contestant is a class that is constructed from a number of permits, with void acquire() and void release().
// Returns the nanoseconds per round of any thread. threads: the number of threads that compete. They stop after a time, and
// not after a number of rounds, because a round can take 10,000 times as long with one contestant as with another.
template <class Way>
double contest(int threads, int permits) {
  Way way(permits);
  std::atomic<int> ready{0};
  std::atomic<bool> is_over{false};
  std::atomic<unsigned long long> rounds{0};
  std::vector<std::thread> all;
  const auto run = [&] {
    ++ready;
    while (ready.load() != threads + 1)
      std::this_thread::yield();
    unsigned long long own = 0;
    for (; !is_over.load(std::memory_order_relaxed); ++own) {
      way.acquire();
      way.release();
    }
    rounds += own;
  };
  for (int number = 0; number < threads; ++number)
    all.emplace_back(run);
  while (ready.load() != threads)
    std::this_thread::yield();
  const stopwatch time;
  ++ready;
  std::this_thread::sleep_for(duration);
  is_over = true;
  for (std::thread& each : all)
    each.join();
  return time.seconds() * 1e9 / static_cast<double>(rounds.load());
}

using contest_function = double (*)(int threads, int permits);

// How long a contest may take. With some contestants, a thread can sleep forever: the counting_semaphore of libstdc++ can lose
// a wake-up (GCC bug 98033).
inline constexpr std::chrono::seconds limit{2};
inline constexpr double did_not_end = 1e9;

// The same in a separate process, which is killed after the limit. In this case, returns did_not_end.
inline double bounded_contest(contest_function run, int threads, int permits) {
  int channel[2];
  if (pipe(channel) != 0) check(cudaErrorUnknown, "pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) check(cudaErrorUnknown, "fork");
  if (child == 0) {
    const double result = run(threads, permits);
    _exit(write(channel[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(channel[1]);
  pollfd answer{channel[0], POLLIN, 0};
  double result = did_not_end;
  const int milliseconds = static_cast<int>(std::chrono::milliseconds(limit).count());
  if (poll(&answer, 1, milliseconds) != 1 || read(channel[0], &result, sizeof result) != sizeof result) {
    result = did_not_end;
    kill(child, SIGKILL);
  }
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return result;
}

template <class Way>
void enroll_contest(const char* operation, const std::string& name, const std::string& kind) {
  const contest_function function = &contest<Way>;
  contestants().push_back({"host", operation, name, kind, "native", reinterpret_cast<const void*>(function), nullptr});
}

}  // namespace bench

#endif
