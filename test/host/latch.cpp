// cuda::latch on host threads: layout, counts, visibility of plain data, waits for a time, threads that sleep.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"
#include "timing.h"

#include <cuda/latch>
#include <cuda/std/latch>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

using thread_latch = cuda::latch<cuda::thread_scope_thread>;
using block_latch = cuda::latch<cuda::thread_scope_block>;
using cluster_latch = cuda::latch<cuda::thread_scope_cluster>;
using device_latch = cuda::latch<cuda::thread_scope_device>;
using system_latch = cuda::latch<cuda::thread_scope_system>;

template <class Latch>
constexpr bool has_layout_of_latch =
    sizeof(Latch) == 8 && alignof(Latch) == 8 && std::is_trivially_default_constructible_v<Latch> &&
    std::is_trivially_destructible_v<Latch> && !std::is_copy_constructible_v<Latch> &&
    !std::is_copy_assignable_v<Latch> && !std::is_convertible_v<std::ptrdiff_t, Latch>;
static_assert(has_layout_of_latch<thread_latch> && has_layout_of_latch<block_latch>);
static_assert(has_layout_of_latch<cluster_latch> && has_layout_of_latch<device_latch>);
static_assert(has_layout_of_latch<system_latch>);
static_assert(std::is_same_v<cuda::std::latch, system_latch> && std::is_same_v<cuda::latch<>, system_latch>);
static_assert(std::is_same_v<cuda::latch<cuda::std::thread_scope_block>, block_latch>);

// Constant expressions initialize latches.
static_assert((system_latch(3), block_latch(0), device_latch(device_latch::max()), cuda::std::latch(1), true));

constexpr std::ptrdiff_t int_max = std::numeric_limits<std::int32_t>::max();
static_assert(thread_latch::max() == int_max && block_latch::max() == int_max && cuda::std::latch::max() == int_max);
static_assert(noexcept(block_latch::max()) && noexcept(std::declval<const block_latch&>().try_wait()));

// On the host all scopes are the same code, so that two of them are enough where compiling takes long.
#define ALL_LATCHES thread_latch, block_latch, cluster_latch, device_latch, system_latch
#define LATCHES block_latch, system_latch

TEMPLATE_TEST_CASE("a latch opens when all have arrived, and stays open", "", ALL_LATCHES) {
  TestType latch(10);
  const TestType& seen = latch;
  latch.count_down(3);
  latch.count_down(0);
  CHECK_FALSE(seen.try_wait());
  latch.count_down(6);
  CHECK_FALSE(seen.try_wait());
  latch.count_down();
  CHECK(seen.try_wait());
  seen.wait();
  latch.count_down(0);
  latch.arrive_and_wait(0);
  CHECK(seen.try_wait());
}

TEMPLATE_TEST_CASE("a latch counts from zero or from as many as it can", "", ALL_LATCHES) {
  TestType open(0);
  CHECK(open.try_wait());
  open.wait();
  TestType latch(TestType::max());
  latch.count_down();
  CHECK_FALSE(latch.try_wait());
  latch.count_down(TestType::max() - 2);
  CHECK_FALSE(latch.try_wait());
  latch.arrive_and_wait();
  CHECK(latch.try_wait());
  TestType at_once(TestType::max());
  at_once.arrive_and_wait(TestType::max());
  CHECK(at_once.try_wait());
}

TEMPLATE_TEST_CASE("init begins another countdown", "", ALL_LATCHES) {
  TestType latch;
  for (const int expected : {2, 1 << 30, 0, 1 << 16, 1, 256}) {
    init(&latch, expected);
    CHECK(latch.try_wait() == (expected == 0));
    latch.count_down(expected);
    CHECK(latch.try_wait());
  }
}

// Arrives three times, and waits: each way in turn.
template <class Latch>
void arrive_thrice_and_wait(Latch& latch, int way, failure_count& failures) {
  switch (way) {
  case 0:
    latch.arrive_and_wait(3);
    break;
  case 1:
    latch.count_down();
    latch.count_down(0);
    latch.arrive_and_wait(2);
    break;
  case 2:
    latch.count_down(3);
    latch.wait();
    break;
  case 3:
    latch.count_down(2);
    latch.count_down();
    while (!latch.try_wait())
      std::this_thread::yield();
    break;
  case 4:
    latch.count_down(3);
    failures.expect(latch.try_wait_for(1h));
    break;
  case 5:
    latch.count_down(3);
    failures.expect(latch.try_wait_until(system_clock::now() + 1h));
    break;
  }
}

TEMPLATE_TEST_CASE("what is written before counting down is read after waiting", "", LATCHES) {
  const int threads = GENERATE(1, 2, 3, 8);
  constexpr int rounds = 600;
  std::vector<TestType> latches(rounds);
  for (TestType& latch : latches)
    init(&latch, 3 * threads);
  failure_count failures;
  std::vector<int> slots[2] = {std::vector<int>(threads), std::vector<int>(threads)};  // not atomic
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<int>& now = slots[round % 2];
      now[rank] = round + 1;
      arrive_thrice_and_wait(latches[round], (round + rank) % 6, failures);
      for (const int value : now)
        failures.expect(value == round + 1);
    }
  });
  CHECK(failures.value() == 0);
}

// Who waits at one latch has left the one before: its memory is free.
TEMPLATE_TEST_CASE("a latch begins anew once all have left it", "", LATCHES) {
  constexpr int threads = 4;
  constexpr int rounds = 600;
  TestType latches[3];
  init(&latches[0], 3 * threads);
  failure_count failures;
  int sum = 0;  // not atomic
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      if (rank == round % threads) {
        init(&latches[(round + 1) % 3], 3 * threads);
        ++sum;
      }
      arrive_thrice_and_wait(latches[round % 3], (round + rank) % 6, failures);
    }
  });
  CHECK(failures.value() == 0);
  CHECK(sum == rounds);
}

// They arrive for others, and do not wait themselves.
TEMPLATE_TEST_CASE("one thread waits for many arrivals", "", LATCHES) {
  constexpr int threads = 4;
  constexpr int arrivals_of_each = 2000;
  TestType latch((threads - 1) * arrivals_of_each);
  std::vector<int> parts(threads);  // not atomic
  failure_count failures;
  run_threads(threads, [&](int rank) {
    for (int arrival = 1; rank != 0 && arrival <= arrivals_of_each; ++arrival) {
      parts[rank] = arrival;
      latch.count_down();
    }
    if (rank != 0) return;
    latch.wait();
    for (int other = 1; other < threads; ++other)
      failures.expect(parts[other] == arrivals_of_each);
  });
  CHECK(failures.value() == 0);
}

TEMPLATE_TEST_CASE("a timed wait for arrivals that do not come ends at its time", "", LATCHES) {
  const TestType latch(2);
  check_times_out(0.01, [&] { return latch.try_wait_for(10ms); });
  check_times_out(0.0005, [&] { return latch.try_wait_for(std::chrono::duration<float, std::milli>(0.5f)); });
  check_times_out(0.002, [&] { return latch.try_wait_until(steady_clock::now() + 2ms); });
  check_times_out(0.002, [&] { return latch.try_wait_until(system_clock::now() + 2ms); });
  check_times_out(0, [&] { return latch.try_wait_for(0s); });
  check_times_out(0, [&] { return latch.try_wait_for(-5s); });
  check_times_out(0, [&] { return latch.try_wait_until(steady_clock::now() - 1h); });
  check_times_out(0, [&] { return latch.try_wait_until(steady_clock::time_point::min()); });
}

TEMPLATE_TEST_CASE("a timed wait for an open latch is true at once", "", LATCHES) {
  const TestType latch(0);
  check_true_at_once([&] { return latch.try_wait_for(0s); });
  check_true_at_once([&] { return latch.try_wait_for(-1s); });
  check_true_at_once([&] { return latch.try_wait_for(std::chrono::hours::max()); });
  check_true_at_once([&] { return latch.try_wait_for(std::chrono::duration<double>(1e30)); });
  check_true_at_once([&] { return latch.try_wait_until(steady_clock::now() - 1h); });
  check_true_at_once([&] { return latch.try_wait_until(system_clock::now() + 24h); });
}

// The last arrival comes so late that the others sleep in the kernel; each kind of wait ends with it, and not before.
TEMPLATE_TEST_CASE("waits last until the last arrival and end with it", "", LATCHES) {
  constexpr int threads = 6;
  TestType latch(3 * threads);
  failure_count failures;
  steady_clock::time_point arrived;
  run_threads(threads, [&](int rank) {
    if (rank == 0) {
      std::this_thread::sleep_for(40ms);
      arrived = steady_clock::now();
    }
    arrive_thrice_and_wait(latch, rank, failures);
    failures.expect(steady_clock::now() >= arrived);
    failures.expect(seconds_since(arrived) < lateness);
  });
  CHECK(failures.value() == 0);
}

TEMPLATE_TEST_CASE("the last arrival wakes a sleeping thread", "", LATCHES) {
  std::vector<TestType> latches(most_rounds);
  for (TestType& latch : latches)
    init(&latch, 2);
  const auto wait = [&latches](int round) { latches[round].arrive_and_wait(); };
  const auto end = [&latches](int round) { latches[round].count_down(); };
  check_wakes(wait, end);
}
