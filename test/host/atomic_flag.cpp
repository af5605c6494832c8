// cuda::atomic_flag: members, free functions, a spin lock, waiting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>
#include <type_traits>
#include <utility>

static_assert(std::is_same_v<cuda::atomic_flag, cuda::std::atomic_flag>);
static_assert(std::is_trivially_default_constructible_v<cuda::atomic_flag>);
static_assert(std::is_trivially_destructible_v<cuda::atomic_flag> && std::is_standard_layout_v<cuda::atomic_flag>);
static_assert(!std::is_copy_constructible_v<cuda::atomic_flag> && !std::is_copy_assignable_v<cuda::atomic_flag>);
static_assert(!std::is_assignable_v<volatile cuda::atomic_flag&, const cuda::atomic_flag&>);
static_assert(sizeof(cuda::atomic_flag) == 4 && alignof(cuda::atomic_flag) == 4);
static_assert(noexcept(std::declval<cuda::atomic_flag&>().test_and_set()));

TEMPLATE_TEST_CASE("a flag is set and cleared", "", cuda::atomic_flag, volatile cuda::atomic_flag) {
  TestType flag{};
  CHECK_FALSE(flag.test());
  CHECK_FALSE(flag.test_and_set());
  CHECK(flag.test());
  CHECK(flag.test_and_set());
  CHECK(flag.test());
  flag.clear();
  CHECK_FALSE(flag.test());

  CHECK_FALSE(flag.test_and_set(cuda::memory_order_acquire));
  CHECK(flag.test_and_set(cuda::memory_order_relaxed));
  CHECK(flag.test_and_set(cuda::memory_order::acq_rel));
  CHECK(flag.test(cuda::memory_order_relaxed));
  CHECK(flag.test(cuda::memory_order::acquire));
  flag.clear(cuda::memory_order_release);
  CHECK_FALSE(flag.test(cuda::memory_order_seq_cst));
  flag.test_and_set();
  flag.clear(cuda::memory_order::relaxed);
  CHECK_FALSE(flag.test());
}

TEST_CASE("a flag begins as it is told") {
  const cuda::atomic_flag clear(false);
  const cuda::atomic_flag set(true);
  const cuda::std::atomic_flag by_macro = LIBCUDACXX_ATOMIC_FLAG_INIT;
  CHECK_FALSE(clear.test());
  CHECK(set.test());
  CHECK_FALSE(by_macro.test());
}

TEMPLATE_TEST_CASE("free functions of a flag", "", cuda::atomic_flag, volatile cuda::atomic_flag) {
  TestType flag{};
  CHECK_FALSE(cuda::atomic_flag_test(&flag));
  CHECK_FALSE(cuda::atomic_flag_test_and_set(&flag));
  CHECK(cuda::std::atomic_flag_test_and_set(&flag));
  CHECK(cuda::std::atomic_flag_test(&flag));
  cuda::atomic_flag_wait(&flag, false);
  cuda::atomic_flag_clear(&flag);
  CHECK_FALSE(cuda::atomic_flag_test_explicit(&flag, cuda::memory_order_acquire));
  CHECK_FALSE(cuda::atomic_flag_test_and_set_explicit(&flag, cuda::memory_order_acquire));
  CHECK(cuda::std::atomic_flag_test_and_set_explicit(&flag, cuda::memory_order::relaxed));
  CHECK(cuda::std::atomic_flag_test_explicit(&flag, cuda::memory_order::relaxed));
  cuda::atomic_flag_clear_explicit(&flag, cuda::memory_order_release);
  cuda::atomic_flag_wait_explicit(&flag, true, cuda::memory_order_acquire);
  CHECK_FALSE(flag.test());
  cuda::std::atomic_flag_wait(&flag, true);
  cuda::std::atomic_flag_notify_one(&flag);
  cuda::std::atomic_flag_notify_all(&flag);
}

template <class Lock, class Unlock>
void check_spin_lock(Lock lock, Unlock unlock) {
  constexpr int threads = 4;
  constexpr int rounds = 4000;
  long count = 0;  // not atomic
  meeting start(threads);
  run_threads(threads, [&](int) {
    start.wait();
    for (int round = 0; round < rounds; ++round) {
      lock();
      ++count;
      unlock();
    }
  });
  CHECK(count == long{threads} * rounds);
}

TEST_CASE("a flag is a spin lock") {
  cuda::atomic_flag flag(false);
  check_spin_lock(
      [&] {
        while (flag.test_and_set(cuda::memory_order_acquire))
          std::this_thread::yield();
      },
      [&] { flag.clear(cuda::memory_order_release); });
}

TEST_CASE("a flag is a lock whose losers sleep") {
  cuda::atomic_flag flag(false);
  check_spin_lock(
      [&] {
        while (cuda::atomic_flag_test_and_set_explicit(&flag, cuda::memory_order_acquire))
          cuda::atomic_flag_wait_explicit(&flag, true, cuda::memory_order_relaxed);
      },
      [&] {
        cuda::atomic_flag_clear_explicit(&flag, cuda::memory_order_release);
        cuda::atomic_flag_notify_one(&flag);
      });
}

TEST_CASE("threads wait until the flag is set") {
  constexpr int threads = 4;
  cuda::atomic_flag flag(false);
  int message = 0;  // not atomic
  failure_count failures;
  run_threads(threads, [&](int rank) {
    if (rank == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      message = 7;
      flag.test_and_set(cuda::memory_order_release);
      flag.notify_all();
    } else {
      flag.wait(false, cuda::memory_order_acquire);
      failures.expect(flag.test() && message == 7);
    }
  });
  CHECK(failures.value() == 0);
}
