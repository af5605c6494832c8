// What atomics order: plain data written before a release is read after an acquire.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"
#include "threads.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>
#include <functional>
#include <vector>

constexpr auto relaxed = cuda::memory_order_relaxed;
constexpr auto acquire = cuda::memory_order_acquire;
constexpr auto release = cuda::memory_order_release;

// One thread writes a message and changes the idle flag with send(flag); another, once has_come(flag), reads it and changes
// the flag back. ThreadSanitizer judges the orders, here and in the tests below.
template <class Flag>
bool passes_messages(int idle, const std::function<void(Flag&)>& send, const std::function<bool(Flag&)>& has_come) {
  constexpr int rounds = 20;
  Flag flag(idle);
  int message = -1;  // not atomic
  failure_count failures;
  run_threads(2, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      if (rank == 0) {
        while (flag.load(acquire) != idle)
          std::this_thread::yield();
        message = round;
        send(flag);
      } else {
        while (!has_come(flag))
          std::this_thread::yield();
        failures.expect(message == round);
        message = -1;
        flag.store(idle, release);
      }
    }
  });
  return failures.value() == 0;
}

template <class Check>
void with_releasing_stores(Check check) {
  check(release);
  check(cuda::memory_order_seq_cst);
  check(cuda::memory_order::release);
  check(cuda::memory_order::seq_cst);
}
template <class Check>
void with_releasing_updates(Check check) {
  with_releasing_stores(check);
  check(cuda::memory_order_acq_rel);
  check(cuda::memory_order::acq_rel);
}
template <class Check>
void with_acquiring_loads(Check check) {
  check(acquire);
  check(cuda::memory_order_consume);
  check(cuda::memory_order_seq_cst);
  check(cuda::memory_order::acquire);
  check(cuda::memory_order::consume);
  check(cuda::memory_order::seq_cst);
}
template <class Check>
void with_acquiring_updates(Check check) {
  with_acquiring_loads(check);
  check(cuda::memory_order_acq_rel);
  check(cuda::memory_order::acq_rel);
}

#define FLAGS cuda::atomic<int>, volatile cuda::std::atomic<short>

// Sends by an operation that leaves 1 where 0 was, or the other way round.
template <class Flag>
bool sends(int idle, const std::function<void(Flag&)>& send) {
  return passes_messages<Flag>(idle, send, [idle](Flag& flag) { return flag.load(acquire) == 1 - idle; });
}

TEMPLATE_TEST_CASE("stores release", "", FLAGS) {
  with_releasing_stores([](auto order) {
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.store(1, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.store_add(1, order); }));
    CHECK(sends<TestType>(1, [=](TestType& flag) { flag.store_sub(1, order); }));
    CHECK(sends<TestType>(1, [=](TestType& flag) { flag.store_and(0, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.store_or(1, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.store_xor(1, order); }));
    CHECK(sends<TestType>(1, [=](TestType& flag) { flag.store_min(0, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.store_max(1, order); }));
  });
}

TEMPLATE_TEST_CASE("read-modify-writes release", "", FLAGS) {
  with_releasing_updates([](auto order) {
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.exchange(1, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.fetch_add(1, order); }));
    CHECK(sends<TestType>(1, [=](TestType& flag) { flag.fetch_sub(1, order); }));
    CHECK(sends<TestType>(1, [=](TestType& flag) { flag.fetch_and(0, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.fetch_or(1, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.fetch_xor(1, order); }));
    CHECK(sends<TestType>(1, [=](TestType& flag) { flag.fetch_min(0, order); }));
    CHECK(sends<TestType>(0, [=](TestType& flag) { flag.fetch_max(1, order); }));
    const auto by_comparison = [=](TestType& flag) {
      typename TestType::value_type expected = 0;
      flag.compare_exchange_strong(expected, 1, order);
    };
    CHECK(sends<TestType>(0, by_comparison));
    const auto by_pair = [=](TestType& flag) {
      typename TestType::value_type expected = 0;
      flag.compare_exchange_strong(expected, 1, order, relaxed);
    };
    CHECK(sends<TestType>(0, by_pair));
  });
}

TEMPLATE_TEST_CASE("operations without an order, and operators, release", "", FLAGS) {
  CHECK(sends<TestType>(0, [](TestType& flag) { flag.store(1); }));
  CHECK(sends<TestType>(0, [](TestType& flag) { flag = 1; }));
  CHECK(sends<TestType>(0, [](TestType& flag) { flag.exchange(1); }));
  CHECK(sends<TestType>(0, [](TestType& flag) { ++flag; }));
  CHECK(sends<TestType>(1, [](TestType& flag) { flag--; }));
  CHECK(sends<TestType>(0, [](TestType& flag) { flag ^= 1; }));
  CHECK(sends<TestType>(1, [](TestType& flag) { flag.store_sub(1); }));
}

template <class Flag>
bool receives(const std::function<bool(Flag&)>& has_come) {
  return passes_messages<Flag>(0, [](Flag& flag) { flag.store(1, release); }, has_come);
}

TEMPLATE_TEST_CASE("loads and waits acquire", "", FLAGS) {
  CHECK(receives<TestType>([](TestType& flag) { return flag == 1; }));
  const auto is_one = [](int value) { return value == 1; };
  with_acquiring_loads([=](auto order) {
    CHECK(receives<TestType>([=](TestType& flag) { return flag.load(order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.wait(0, order), true; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.wait(is_one, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.wait_for(0, std::chrono::hours(1), order); }));
  });
}

TEMPLATE_TEST_CASE("read-modify-writes acquire", "", FLAGS) {
  using value = typename TestType::value_type;
  with_acquiring_updates([](auto order) {
    CHECK(receives<TestType>([=](TestType& flag) { return flag.fetch_add(0, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.fetch_and(1, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.fetch_or(0, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.fetch_xor(0, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.fetch_min(1, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) { return flag.fetch_max(0, order) == 1; }));
    CHECK(receives<TestType>([=](TestType& flag) {
      value expected = 1;
      return flag.compare_exchange_strong(expected, 1, order);
    }));
  });
}

TEMPLATE_TEST_CASE("a failed compare-exchange acquires", "", FLAGS) {
  using value = typename TestType::value_type;
  with_acquiring_updates([](auto order) {
    CHECK(receives<TestType>([=](TestType& flag) {
      value expected = 2;
      flag.compare_exchange_strong(expected, 3, order);
      return expected == 1;
    }));
  });
  with_acquiring_loads([](auto order) {
    CHECK(receives<TestType>([=](TestType& flag) {
      value expected = 2;
      flag.compare_exchange_weak(expected, 3, release, order);
      return expected == 1;
    }));
  });
}

TEST_CASE("a relaxed read-modify-write passes on what it finds released") {
  constexpr int rounds = 200;
  failure_count failures;
  for (int round = 0; round < rounds; ++round) {
    cuda::atomic<int> flag(0);
    int message = 0;  // not atomic
    run_threads(3, [&](int rank) {
      if (rank == 0) {
        message = round;
        flag.store(1, release);
      } else if (rank == 1) {
        int expected = 1;
        while (!flag.compare_exchange_weak(expected, 2, relaxed))
          expected = 1;
      } else {
        while (flag.load(acquire) != 2)
          std::this_thread::yield();
        failures.expect(message == round);
      }
    });
  }
  CHECK(failures.value() == 0);
}
