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
inline std::atomic<int> asleep{0};  // threads that sleep so, or are about to
inline std::atomic<int> sleeps{0};
// When the waits began, in nanoseconds, and whether a thread wanted to sleep for more than 5 % of the time since then.
inline std::atomic<long> wait_began{0};
inline std::atomic<bool> sleeps_too_long{false};
inline std::atomic<long> longest_sleep{0};  // that was asked for, in nanoseconds
inline long nanoseconds_now() {
  std::timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}
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
    const auto* const limit = reinterpret_cast<const std::timespec*>(arguments[3]);
    const long sleep = limit->tv_sec * 1000000000 + limit->tv_nsec;
    if (sleep > (nanoseconds_now() - wait_began) / 20) sleeps_too_long = true;
    if (sleep > longest_sleep) longest_sleep = sleep;
    ++sleeps;
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

// A device thread may end a wait, and cannot wake a host thread: no sleep is longer than 5 % of the time waited, and not all
// are empty. wait_for(milliseconds): a timed wait for what does not come. wait(), end(): a wait that lasts until end() is
// called.
template <class TimedWait, class Wait, class End>
void check_short_sleeps(TimedWait wait_for, Wait wait, End end) {
  longest_sleep = 0;
  for (int limit = 60; longest_sleep == 0; limit *= 2) {  // on a busy machine a thread may have no time for a sleep
    wait_began = nanoseconds_now();
    expect(limit < 4000 && !wait_for(std::chrono::milliseconds(limit)), "a timed wait sleeps, and ends at its time");
  }
  expect(!sleeps_too_long, "a sleep with a limit lasts at most 5 % of the time waited");
  sleeps = 0;
  wait_began = nanoseconds_now();
  std::thread other([&] {
    while (sleeps < 5)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    end();
  });
  wait();
  other.join();
  expect(!sleeps_too_long, "a sleep without a limit lasts at most 5 % of the time waited");
}

// Returns once all other threads sleep, however busy the machine is.
inline void await_sleepers() {
  do
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (asleep != threads - 1);
}

#endif
