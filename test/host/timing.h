// How host tests judge the time that a wait takes, and that it is woken. Include it before the library's headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOST_TIMING_H
#define CUDASYNC_TEST_HOST_TIMING_H

#include "catch.h"
#include "threads.h"

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <thread>

#include <unistd.h>

// How late a wait may return on a machine that has other things to do, in seconds.
constexpr double lateness = 0.5;

template <class Wait>
void check_times_out(double seconds, Wait wait) {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(wait());
  CHECK(seconds_since(start) >= seconds);
  CHECK(seconds_since(start) < seconds + lateness);
}
template <class Wait>
void check_true_at_once(Wait wait) {
  const auto start = std::chrono::steady_clock::now();
  CHECK(wait());
  CHECK(seconds_since(start) < lateness);
}

// The library's sleeps last until somebody wakes the thread, while sleeps_are_endless is set.
inline std::atomic<bool> sleeps_are_endless{false};
inline std::atomic<int> threads_asleep{0};
extern "C" inline long syscall_of_test(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  const void* const word = va_arg(list, const void*);
  const int operation = va_arg(list, int);
  const unsigned value = va_arg(list, unsigned);
  const void* const limit = va_arg(list, const void*);
  va_end(list);
  const bool is_endless = operation == 0 && sleeps_are_endless;  // FUTEX_WAIT
  if (is_endless) ++threads_asleep;
  const long result = syscall(number, word, operation, value, is_endless ? nullptr : limit, nullptr, 0);
  if (is_endless) --threads_asleep;
  return result;
}
#define syscall syscall_of_test

// That end(round) wakes a thread that sleeps in wait(round), from round 0 on. If it does not, the test case does not end.
constexpr int most_rounds = 3;

template <class Wait, class End>
void check_wakes(Wait wait, End end) {
  sleeps_are_endless = true;
  for (int round = 0; round < most_rounds; ++round) {
    run_threads(2, [&](int rank) {
      if (rank == 0) return wait(round);
      while (threads_asleep == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      end(round);
    });
  }
  sleeps_are_endless = false;
}

#endif
