// Waits of cuda::barrier on the host that end after a time, and threads that sleep until the last arrival.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"
#include "timing.h"

#include <cuda/barrier>

#include <chrono>
#include <ratio>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

struct nothing {
  void operator()() {}
};

#define ALL_BARRIERS                                                                 \
  cuda::barrier<cuda::thread_scope_thread>, cuda::barrier<cuda::thread_scope_block>, \
      cuda::barrier<cuda::thread_scope_device>, cuda::barrier<cuda::thread_scope_system>, cuda::std::barrier<nothing>

TEMPLATE_TEST_CASE("a timed wait for an open phase ends at its time", "", ALL_BARRIERS) {
  TestType bar(2);
  const auto token = bar.arrive();
  check_times_out(0.01, [&] { return bar.try_wait_for(token, 10ms); });
  check_times_out(0.01, [&] { return bar.try_wait_parity_for(false, 10000us); });
  check_times_out(0.0005, [&] { return bar.try_wait_for(token, std::chrono::duration<float, std::milli>(0.5f)); });
  check_times_out(0.001, [&] { return bar.try_wait_for(token, std::chrono::duration<double>(0.001)); });
  check_times_out(0.002, [&] { return bar.try_wait_until(token, steady_clock::now() + 2ms); });
  check_times_out(0.002, [&] { return bar.try_wait_parity_until(false, system_clock::now() + 2ms); });
}

TEMPLATE_TEST_CASE("a timed wait of no time asks once", "", ALL_BARRIERS) {
  TestType bar(2);
  const auto token = bar.arrive();
  check_times_out(0, [&] { return bar.try_wait_for(token, 0s); });
  check_times_out(0, [&] { return bar.try_wait_for(token, -5s); });
  check_times_out(0, [&] { return bar.try_wait_parity_for(false, std::chrono::duration<double>(-0.5)); });
  check_times_out(0, [&] { return bar.try_wait_until(token, steady_clock::now() - 1h); });
  check_times_out(0, [&] { return bar.try_wait_parity_until(false, system_clock::now() - 1h); });
  check_times_out(0, [&] { return bar.try_wait_until(token, steady_clock::time_point::min()); });
  check_times_out(0, [&] { return bar.try_wait_parity_until(false, system_clock::time_point::min()); });
  static_cast<void>(bar.arrive());
  check_true_at_once([&] { return bar.try_wait_for(token, 0s); });
  check_true_at_once([&] { return bar.try_wait_for(token, -1s); });
  check_true_at_once([&] { return bar.try_wait_until(token, steady_clock::now() - 1h); });
}

TEMPLATE_TEST_CASE("a timed wait for a completed phase is true at once", "", ALL_BARRIERS) {
  TestType bar(1);
  const auto token = bar.arrive();
  check_true_at_once([&] { return bar.try_wait_for(token, 24h); });
  check_true_at_once([&] { return bar.try_wait_for(token, std::chrono::hours::max()); });
  check_true_at_once([&] { return bar.try_wait_parity_for(false, std::chrono::duration<double>(1e30)); });
  check_true_at_once([&] { return bar.try_wait_until(token, steady_clock::now() + 24h); });
  check_true_at_once([&] { return bar.try_wait_parity_until(false, system_clock::now() + 24h); });
  check_true_at_once([&] { return bar.try_wait_until(token, system_clock::time_point::max()); });
}

// The last arrival comes so late that the others sleep in the kernel; each kind of wait ends with it, and not before.
TEMPLATE_TEST_CASE("waits last until the last arrival and end with it", "", cuda::barrier<cuda::thread_scope_block>,
                   cuda::barrier<cuda::thread_scope_system>, cuda::std::barrier<nothing>) {
  constexpr int threads = 6;
  constexpr auto late = 40ms;
  TestType bar(threads);
  failure_count failures;
  steady_clock::time_point arrived[2];
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < 6; ++phase) {
      const bool parity = phase % 2 != 0;
      if (rank == phase % threads) {
        std::this_thread::sleep_for(late);
        arrived[phase % 2] = steady_clock::now();
      }
      auto token = bar.arrive();
      switch (phase % 4) {
      case 0:
        bar.wait(std::move(token));
        break;
      case 1:
        bar.wait_parity(parity);
        break;
      case 2:
        failures.expect(bar.try_wait_for(token, 1h));
        break;
      case 3:
        failures.expect(bar.try_wait_parity_until(parity, system_clock::now() + 1h));
        break;
      }
      const auto now = steady_clock::now();
      failures.expect(now >= arrived[phase % 2]);
      failures.expect(std::chrono::duration<double>(now - arrived[phase % 2]).count() < lateness);
    }
  });
  CHECK(failures.value() == 0);
}

// A phase ends now and then while threads are about to fall asleep: none may sleep through it.
TEMPLATE_TEST_CASE("no wake-up is lost", "", cuda::barrier<cuda::thread_scope_block>,
                   cuda::barrier<cuda::thread_scope_system>, cuda::std::barrier<nothing>) {
  constexpr int threads = 4;
  TestType bar(threads);
  const auto start = steady_clock::now();
  run_threads(threads, [&](int rank) {
    for (int phase = 0; phase < 400; ++phase) {
      if (rank == phase % threads) std::this_thread::sleep_for(std::chrono::microseconds(phase % 50));
      bar.arrive_and_wait();
    }
  });
  CHECK(seconds_since(start) < 20);
}
