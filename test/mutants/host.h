// What the programs share whose checks test_mutants.py runs on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_MUTANTS_HOST_H
#define CUDASYNC_TEST_MUTANTS_HOST_H

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include <sys/syscall.h>

// -DCHECKS="CHECK(first) CHECK(second)" makes a program of these checks, of which the first argument names one.
#define CHECK(NAME) \
  if (std::strcmp(name, #NAME) == 0) NAME();

constexpr int threads = 4;

// From any thread: the others may hang.
inline void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::_Exit(1);
}

template <class Function>
void run_threads(Function function) {
  std::vector<std::thread> all;
  for (int rank = 0; rank < threads; ++rank)
    all.emplace_back([&function, rank] { function(rank); });
  for (std::thread& each : all)
    each.join();
}

// Stands in for syscall (the linker's --wrap): a sleep in the kernel then lasts until somebody ends it, and something may
// happen right before it. Calls that end sleeps are counted.
inline std::atomic<bool> sleeps_are_endless{false};
inline std::atomic<void (*)()> before_sleep{nullptr};
inline std::atomic<int> wakes{0};
inline std::atomic<int> asleep{0};          // threads that sleep so, or are about to
inline std::atomic<long> longest_sleep{0};  // that was asked for, in nanoseconds
extern "C" long __real_syscall(long number, ...);
extern "C" long __wrap_syscall(long number, ...) {
  std::va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments)
    argument = va_arg(list, long);
  va_end(list);
  const bool is_sleep = number == SYS_futex && arguments[1] == 0;  // FUTEX_WAIT
  if (is_sleep) {
    if (const auto* const limit = reinterpret_cast<const std::timespec*>(arguments[3]))
      if (const long sleep = limit->tv_sec * 1000000000 + limit->tv_nsec; sleep > longest_sleep) longest_sleep = sleep;
    if (sleeps_are_endless) arguments[3] = 0;  // no time
    if (void (*event)() = before_sleep.exchange(nullptr)) event();
    ++asleep;
  }
  if (number == SYS_futex && arguments[1] == 1) ++wakes;  // FUTEX_WAKE
  const long result =
      __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  if (is_sleep) --asleep;
  return result;
}

// Returns once all other threads sleep, however busy the machine is.
inline void await_sleepers() {
  do
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (asleep != threads - 1);
}

#endif
