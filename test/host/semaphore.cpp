// cuda::counting_semaphore and binary_semaphore on host threads: layout, counts, plain data that permits protect, times.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"
#include "timing.h"

#include <cuda/semaphore>
#include <cuda/std/semaphore>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;

using block_semaphore = cuda::counting_semaphore<cuda::thread_scope_block>;
using cluster_semaphore = cuda::counting_semaphore<cuda::thread_scope_cluster, 100>;
using device_semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 2>;
using system_semaphore = cuda::counting_semaphore<cuda::thread_scope_system>;
using block_flag = cuda::binary_semaphore<cuda::thread_scope_block>;
using device_flag = cuda::binary_semaphore<cuda::thread_scope_device>;
using system_flag = cuda::binary_semaphore<cuda::thread_scope_system>;

template <class Semaphore, std::size_t Size>
constexpr bool has_layout =
    sizeof(Semaphore) == Size && alignof(Semaphore) == Size && std::is_trivially_default_constructible_v<Semaphore> &&
    std::is_trivially_destructible_v<Semaphore> && !std::is_copy_constructible_v<Semaphore> &&
    !std::is_copy_assignable_v<Semaphore> && !std::is_convertible_v<std::ptrdiff_t, Semaphore>;
static_assert(has_layout<block_semaphore, 8> && has_layout<cluster_semaphore, 8>);
static_assert(has_layout<device_semaphore, 8> && has_layout<system_semaphore, 8>);
static_assert(has_layout<cuda::counting_semaphore<cuda::thread_scope_thread, 0>, 8>);
static_assert(has_layout<block_flag, 4> && has_layout<device_flag, 4> && has_layout<system_flag, 4>);

static_assert(std::is_same_v<cuda::counting_semaphore<>, system_semaphore>);
static_assert(std::is_same_v<cuda::binary_semaphore<>, system_flag>);
static_assert(std::is_same_v<block_flag, cuda::counting_semaphore<cuda::thread_scope_block, 1>>);
static_assert(std::is_base_of_v<system_semaphore, cuda::std::counting_semaphore<>>);
static_assert(std::is_same_v<decltype(cuda::std::counting_semaphore(3)), cuda::std::counting_semaphore<>>);
static_assert(
    std::is_base_of_v<cuda::counting_semaphore<cuda::std::thread_scope_system, 7>, cuda::std::counting_semaphore<7>>);
static_assert(std::is_base_of_v<system_flag, cuda::std::binary_semaphore>);
static_assert(std::is_same_v<cuda::std::binary_semaphore, cuda::std::counting_semaphore<1>>);

// Constant expressions initialize semaphores.
static_assert((system_semaphore(3), block_semaphore(0), device_semaphore(device_semaphore::max()), true));
static_assert((cuda::std::counting_semaphore<5>(5), system_flag(0), block_flag(1), true));

constexpr std::ptrdiff_t int_max = std::numeric_limits<std::int32_t>::max();
static_assert(block_semaphore::max() == int_max && cluster_semaphore::max() >= 100 && device_semaphore::max() >= 2);
static_assert(cuda::std::counting_semaphore<>::max() == int_max && noexcept(system_semaphore::max()));
static_assert(block_flag::max() == 1 && cuda::std::binary_semaphore::max() == 1);
static_assert(noexcept(std::declval<system_semaphore&>().try_acquire()) &&
              noexcept(std::declval<block_flag&>().try_acquire()));

// On the host all scopes are the same code, so that few are enough where compiling takes long.
#define COUNTING_SEMAPHORES block_semaphore, cluster_semaphore, device_semaphore, system_semaphore
#define BINARY_SEMAPHORES block_flag, device_flag, system_flag
#define SEMAPHORES device_semaphore, system_semaphore, block_flag

TEMPLATE_TEST_CASE("a counting semaphore gives as many permits as it has", "", COUNTING_SEMAPHORES) {
  TestType semaphore(3);
  for (int permit = 0; permit < 3; ++permit)
    CHECK(semaphore.try_acquire());
  CHECK_FALSE(semaphore.try_acquire());
  semaphore.release(0);
  CHECK_FALSE(semaphore.try_acquire());
  semaphore.release();
  semaphore.release(4);
  semaphore.acquire();
  for (int permit = 0; permit < 4; ++permit)
    CHECK(semaphore.try_acquire());
  CHECK_FALSE(semaphore.try_acquire());
}

TEMPLATE_TEST_CASE("a counting semaphore holds up to max permits", "", COUNTING_SEMAPHORES) {
  constexpr std::ptrdiff_t max = TestType::max();
  TestType semaphore;
  init(&semaphore, max);
  for (int round = 0; round < 5; ++round) {  // in which the count of all releases wraps around
    semaphore.acquire();
    CHECK(semaphore.try_acquire());
    semaphore.release(2);
  }
  init(&semaphore, 0);
  CHECK_FALSE(semaphore.try_acquire());
  semaphore.release(max);
  CHECK(semaphore.try_acquire());
  semaphore.release(1);
  semaphore.acquire();
}

TEMPLATE_TEST_CASE("a binary semaphore has one permit or none", "", BINARY_SEMAPHORES) {
  TestType semaphore(1);
  for (int round = 0; round < 600; ++round) {
    semaphore.acquire();
    CHECK_FALSE(semaphore.try_acquire());
    semaphore.release(0);
    CHECK_FALSE(semaphore.try_acquire());
    semaphore.release();
    CHECK(semaphore.try_acquire());
    CHECK_FALSE(semaphore.try_acquire());
    semaphore.release(1);
  }
  init(&semaphore, 0);
  CHECK_FALSE(semaphore.try_acquire());
  init(&semaphore, 1);
  CHECK(semaphore.try_acquire());
}

template <class Semaphore>
void acquire_by_trying(Semaphore& semaphore) {
  while (!semaphore.try_acquire())
    std::this_thread::yield();
}

// Takes a permit: each way in turn.
template <class Semaphore>
void acquire(Semaphore& semaphore, int way, failure_count& failures) {
  switch (way % 5) {
  case 0:
  case 1:
    semaphore.acquire();
    break;
  case 2:
    acquire_by_trying(semaphore);
    break;
  case 3:
    failures.expect(semaphore.try_acquire_for(1h));
    break;
  case 4:
    failures.expect(semaphore.try_acquire_until(system_clock::now() + 1h));
    break;
  }
}

// The permit is there already: nothing but the word orders the two threads.
TEMPLATE_TEST_CASE("what is written before a release is read after an acquire that does not wait", "", SEMAPHORES) {
  TestType semaphore(0);
  std::atomic<int> released{-1};
  meeting everybody(2);
  failure_count failures;
  int message = -1;  // not atomic
  run_threads(2, [&](int rank) {
    for (int round = 0; round < 50; ++round) {
      if (rank == 0) {
        message = round;
        semaphore.release();
        released.store(round, std::memory_order_relaxed);
      } else {
        while (released.load(std::memory_order_relaxed) != round)
          std::this_thread::yield();
        acquire(semaphore, round, failures);
        failures.expect(message == round);
      }
      everybody.wait();
    }
  });
  CHECK(failures.value() == 0);
}

TEMPLATE_TEST_CASE("one permit protects plain data", "", SEMAPHORES) {
  const int threads = GENERATE(2, 5);
  constexpr int rounds = 1000;
  TestType semaphore(1);
  failure_count failures;
  int sum = 0;  // not atomic
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      acquire(semaphore, rank + round, failures);
      const int before = sum;
      if (round % 50 == rank) std::this_thread::yield();
      sum = before + 1;
      semaphore.release();
    }
  });
  CHECK(failures.value() == 0);
  CHECK(sum == threads * rounds);
  CHECK(semaphore.try_acquire());
  CHECK_FALSE(semaphore.try_acquire());
}

TEMPLATE_TEST_CASE("as many threads have permits as there are, and no more", "", device_semaphore, system_semaphore) {
  constexpr int threads = 7;
  const int permits = GENERATE(2, 3, 6);
  TestType semaphore(permits);
  meeting all_permits(permits);
  std::atomic<int> holders{0};
  failure_count failures;
  run_threads(threads, [&](int rank) {
    if (rank < permits) {
      semaphore.acquire();
      all_permits.wait();
      semaphore.release();
    }
    for (int round = 0; round < 400; ++round) {
      acquire(semaphore, rank + round, failures);
      failures.expect(holders.fetch_add(1) < permits);
      if (round % 20 == rank) std::this_thread::yield();
      holders.fetch_sub(1);
      semaphore.release();
    }
  });
  CHECK(failures.value() == 0);
  for (int permit = 0; permit < permits; ++permit)
    CHECK(semaphore.try_acquire());
  CHECK_FALSE(semaphore.try_acquire());
}

TEMPLATE_TEST_CASE("one release gives permits to all who wait", "", device_semaphore, system_semaphore) {
  constexpr int threads = 6;
  constexpr int rounds = 100;
  TestType semaphore(0);
  meeting everybody(threads);
  failure_count failures;
  int message = -1;  // not atomic
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      if (rank == 0) {
        message = round;
        if (round % 10 == 0) std::this_thread::sleep_for(1ms);
        semaphore.release(threads - 1);
      } else {
        acquire(semaphore, rank - 1, failures);
        failures.expect(message == round);
      }
      everybody.wait();
    }
  });
  CHECK(failures.value() == 0);
}

// Who waits may look when others have had permits after it.
TEMPLATE_TEST_CASE("a release of all permits there can be ends each wait", "", device_semaphore, system_semaphore) {
  for (int round = 0; round < 50; ++round) {
    TestType semaphore(0);
    std::atomic<bool> is_over{false};
    std::thread waiter([&] {
      semaphore.acquire();
      is_over = true;
    });
    std::this_thread::sleep_for(300us);
    semaphore.release(TestType::max());
    for (int turn = 0; turn < 3; ++turn) {
      semaphore.acquire();
      semaphore.release();
    }
    const auto start = steady_clock::now();
    while (!is_over && seconds_since(start) < 5)
      std::this_thread::yield();
    const bool is_served = is_over;
    if (!is_served) init(&semaphore, 5);  // of a live semaphore: lets the thread end
    waiter.join();
    REQUIRE(is_served);
  }
}

// As many slots as permits: a producer and a consumer hand over plain data.
template <class Semaphore>
void pass_messages(int slots) {
  Semaphore free(slots);
  Semaphore used(0);
  failure_count failures;
  std::vector<int> ring(slots, -1);  // not atomic
  run_threads(2, [&](int rank) {
    for (int round = 0; round < 2000; ++round) {
      int& slot = ring[round % slots];
      if (rank == 0) {
        acquire(free, round / 10, failures);
        slot = round;
        used.release();
      } else {
        acquire(used, round / 7, failures);
        failures.expect(slot == round);
        free.release();
      }
    }
  });
  CHECK(failures.value() == 0);
}
TEMPLATE_TEST_CASE("semaphores pass messages", "", SEMAPHORES) {
  pass_messages<TestType>(1);
  if constexpr (TestType::max() > 1) pass_messages<TestType>(3);
}

TEMPLATE_TEST_CASE("a timed acquire without permits ends at its time, and takes none", "", SEMAPHORES) {
  TestType semaphore(0);
  check_times_out(0.01, [&] { return semaphore.try_acquire_for(10ms); });
  check_times_out(0.0005, [&] { return semaphore.try_acquire_for(std::chrono::duration<float, std::milli>(0.5f)); });
  check_times_out(0.002, [&] { return semaphore.try_acquire_until(steady_clock::now() + 2ms); });
  check_times_out(0.002, [&] { return semaphore.try_acquire_until(system_clock::now() + 2ms); });
  check_times_out(0, [&] { return semaphore.try_acquire_for(0s); });
  check_times_out(0, [&] { return semaphore.try_acquire_for(-5s); });
  check_times_out(0, [&] { return semaphore.try_acquire_until(steady_clock::now() - 1h); });
  check_times_out(0, [&] { return semaphore.try_acquire_until(steady_clock::time_point::min()); });
  check_times_out(0, [&] { return semaphore.try_acquire(); });
  semaphore.release();
  CHECK(semaphore.try_acquire());
}

TEMPLATE_TEST_CASE("a timed acquire takes a permit at once, however short or long its time", "", SEMAPHORES) {
  TestType semaphore(0);
  const auto check_takes_one = [&semaphore](auto take) {
    semaphore.release();
    check_true_at_once(take);
    CHECK_FALSE(semaphore.try_acquire());
  };
  check_takes_one([&] { return semaphore.try_acquire_for(0s); });
  check_takes_one([&] { return semaphore.try_acquire_for(-1s); });
  check_takes_one([&] { return semaphore.try_acquire_for(std::chrono::hours::max()); });
  check_takes_one([&] { return semaphore.try_acquire_for(std::chrono::duration<double>(1e30)); });
  check_takes_one([&] { return semaphore.try_acquire_until(steady_clock::now() - 1h); });
  check_takes_one([&] { return semaphore.try_acquire_until(system_clock::now() + 24h); });
}

// Releases come so late that all sleep in the kernel; each kind of wait ends with one of them, and not before.
TEMPLATE_TEST_CASE("threads wait until a release, and no longer", "", SEMAPHORES) {
  constexpr int waiters = 5;
  TestType semaphore(0);
  failure_count failures;
  steady_clock::time_point released;
  run_threads(waiters + 1, [&](int rank) {
    if (rank == waiters) {
      std::this_thread::sleep_for(40ms);
      released = steady_clock::now();
    } else {
      acquire(semaphore, rank, failures);
      failures.expect(steady_clock::now() >= released);
      failures.expect(seconds_since(released) < lateness);
    }
    semaphore.release();
  });
  CHECK(failures.value() == 0);
}

// Some take permits in vain now and then.
TEMPLATE_TEST_CASE("no permit is lost or taken twice when threads give up", "", device_semaphore, system_semaphore) {
  constexpr int threads = 4;
  constexpr int rounds = 500;
  TestType semaphore(0);
  std::atomic<int> taken{0};
  std::atomic<int> given{0};
  run_threads(threads, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      if (rank == 0) {
        semaphore.release(round % 3);
        given += round % 3;
        if (round % 50 == 0) std::this_thread::sleep_for(1ms);
      } else if (semaphore.try_acquire_for(std::chrono::microseconds(round % 100))) {
        ++taken;
      }
    }
  });
  for (; semaphore.try_acquire(); ++taken) {
  }
  CHECK(taken == given);
}

TEMPLATE_TEST_CASE("a release wakes a sleeping thread", "", SEMAPHORES) {
  TestType semaphore(0);
  const auto end = [&semaphore](int) { semaphore.release(); };
  check_wakes([&semaphore](int) { semaphore.acquire(); }, end);
  check_wakes([&semaphore](int) { static_cast<void>(semaphore.try_acquire_for(1h)); }, end);
}
