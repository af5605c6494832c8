// How host tests judge the time that a wait takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_HOST_TIMING_H
#define CUDASYNC_TEST_HOST_TIMING_H

#include "catch.h"
#include "threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

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

// In each round a thread waits, and another ends the wait some 200 us later, when the first sleeps, which would look again
// by itself some 800 us after that. Returns within how many seconds a quarter of the waits ended.
template <class Wait, class End>
double seconds_to_wake(int first_round, int last_round, Wait wait, End end) {
  using std::chrono::steady_clock;
  std::atomic<int> started{-1};
  std::vector<double> seconds;
  steady_clock::time_point ended;
  run_threads(2, [&](int rank) {
    for (int round = first_round; round <= last_round; ++round) {
      if (rank == 0) {
        started.store(round);
        wait(round);
        seconds.push_back(seconds_since(ended));
      } else {
        while (started.load() != round)
          std::this_thread::yield();
        const auto start = steady_clock::now();
        while (steady_clock::now() < start + std::chrono::microseconds(200))
          std::this_thread::yield();
        ended = steady_clock::now();
        end(round);
      }
    }
  });
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 4];
}

// Whether end(round) wakes who sleeps in wait(round), for up to so many rounds, from 0 on: a machine that has other things to
// do may need several attempts.
constexpr int most_rounds = 400;

template <class Wait, class End>
void check_wakes(Wait wait, End end) {
  bool is_woken = false;
  for (int round = 0; round < most_rounds && !is_woken; round += 40)
    is_woken = seconds_to_wake(round, round + 39, wait, end) < 400e-6;
  CHECK(is_woken);
}

#endif
