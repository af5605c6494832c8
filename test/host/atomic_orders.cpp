// Every operation with every order it accepts, known at compile time or at run time alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>

using namespace std::chrono_literals;

// Counts, in place of a macro at each of some thousand comparisons.
class mistakes {
 public:
  template <class Left, class Right>
  void expect_equal(const Left& left, const Right& right) {
    if (!(left == right)) ++count_;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

// Each order as a constant and as a value of run time.
template <class Check, class... Orders>
void with(Check check, Orders... orders) {
  (check(orders), ...);
  (check(cuda::memory_order(orders)), ...);
}
template <class Check>
void with_orders_of_load(Check check) {
  with(check, cuda::memory_order_relaxed, cuda::memory_order_consume, cuda::memory_order_acquire,
       cuda::memory_order_seq_cst);
}
template <class Check>
void with_orders_of_store(Check check) {
  with(check, cuda::memory_order_relaxed, cuda::memory_order_release, cuda::memory_order_seq_cst);
}
template <class Check>
void with_all_orders(Check check) {
  with(check, cuda::memory_order_relaxed, cuda::memory_order_consume, cuda::memory_order_acquire,
       cuda::memory_order_release, cuda::memory_order_acq_rel, cuda::memory_order_seq_cst);
}

template <class Atom>
int mistakes_in_loads_and_stores(Atom& atom) {
  mistakes found;
  int value = 10;
  atom.store(value);
  with_orders_of_load([&](auto order) { found.expect_equal(atom.load(order), value); });
  with_orders_of_store([&](auto order) {
    atom.store(++value, order);
    found.expect_equal(atom.load(), value);
  });
  with_all_orders([&](auto order) {
    found.expect_equal(atom.exchange(value + 1, order), value);
    found.expect_equal(atom.load(), ++value);
  });
  return found.count();
}

// compare(expected, desired) is a compare-exchange of the atomic.
template <class Atom, class Compare>
void try_compare_exchange(mistakes& found, Atom& atom, Compare compare) {
  atom.store(5);
  int expected = 4;
  found.expect_equal(compare(expected, 6), false);
  found.expect_equal(expected, 5);
  found.expect_equal(atom.load(), 5);
  found.expect_equal(compare(expected, 6), true);
  found.expect_equal(expected, 5);
  found.expect_equal(atom.load(), 6);
}

template <class Atom>
int mistakes_in_compare_exchange(Atom& atom) {
  mistakes found;
  const auto check = [&](auto... orders) {
    try_compare_exchange(found, atom, [&](int& expected, int desired) {
      return atom.compare_exchange_strong(expected, desired, orders...);
    });
    try_compare_exchange(found, atom, [&](int& expected, int desired) {
      return atom.compare_exchange_weak(expected, desired, orders...);
    });
  };
  with_all_orders([&](auto order) { check(order); });
  with_all_orders([&](auto success) { with_orders_of_load([&](auto failure) { check(success, failure); }); });
  return found.count();
}

template <class Atom>
int mistakes_in_updates(Atom& atom) {
  mistakes found;
  with_all_orders([&](auto order) {
    const auto expect_old_and_new = [&](int old, int next) {
      found.expect_equal(old, 12);
      found.expect_equal(atom.exchange(12), next);
    };
    atom.store(12);
    expect_old_and_new(atom.fetch_add(10, order), 22);
    expect_old_and_new(atom.fetch_sub(10, order), 2);
    expect_old_and_new(atom.fetch_and(10, order), 8);
    expect_old_and_new(atom.fetch_or(10, order), 14);
    expect_old_and_new(atom.fetch_xor(10, order), 6);
    expect_old_and_new(atom.fetch_min(10, order), 10);
    expect_old_and_new(atom.fetch_max(20, order), 20);
  });
  with_orders_of_store([&](auto order) {
    const auto expect_new = [&](int next) { found.expect_equal(atom.exchange(12), next); };
    atom.store(12);
    atom.store_add(10, order);
    expect_new(22);
    atom.store_sub(10, order);
    expect_new(2);
    atom.store_and(10, order);
    expect_new(8);
    atom.store_or(10, order);
    expect_new(14);
    atom.store_xor(10, order);
    expect_new(6);
    atom.store_min(10, order);
    expect_new(10);
    atom.store_max(20, order);
    expect_new(20);
  });
  return found.count();
}

template <class Atom>
int mistakes_in_waits(Atom& atom) {
  mistakes found;
  atom.store(5);
  const auto is_five = [](int value) { return value == 5; };
  with_orders_of_load([&](auto order) {
    atom.wait(4, order);
    found.expect_equal(atom.wait(is_five, order), 5);
    found.expect_equal(atom.wait_for(4, 1h, order), true);
    found.expect_equal(atom.wait_for(5, 0h, order), false);
    found.expect_equal(atom.wait_for(is_five, 1h, order), true);
    found.expect_equal(atom.wait_until(4, std::chrono::steady_clock::now() + 1h, order), true);
    found.expect_equal(atom.wait_until(is_five, std::chrono::system_clock::now() - 1h, order), true);
  });
  return found.count();
}

template <class Atom>
void check_orders(Atom& atom) {
  CHECK(mistakes_in_loads_and_stores(atom) == 0);
  CHECK(mistakes_in_compare_exchange(atom) == 0);
  CHECK(mistakes_in_updates(atom) == 0);
  CHECK(mistakes_in_waits(atom) == 0);
}

TEST_CASE("cuda::atomic accepts every order") {
  cuda::atomic<int> atom(0);
  check_orders(atom);
}

TEST_CASE("volatile cuda::std::atomic accepts every order") {
  volatile cuda::std::atomic<int> atom(0);
  check_orders(atom);
}

TEST_CASE("cuda::atomic_ref accepts every order") {
  int object = 0;
  const cuda::atomic_ref<int, cuda::thread_scope_device> atom(object);
  check_orders(atom);
}

TEST_CASE("cuda::std::atomic_ref accepts every order") {
  int object = 0;
  const cuda::std::atomic_ref atom(object);
  check_orders(atom);
}

TEST_CASE("orders by their C++20 names") {
  cuda::atomic<int> atom(1);
  atom.store(2, cuda::memory_order::release);
  CHECK(atom.load(cuda::memory_order::acquire) == 2);
  CHECK(atom.fetch_add(1, cuda::std::memory_order::acq_rel) == 2);
  CHECK(atom.exchange(4, cuda::std::memory_order::memory_order_relaxed) == 3);
  int expected = 4;
  CHECK(atom.compare_exchange_strong(expected, 5, cuda::memory_order::seq_cst, cuda::memory_order_relaxed));
}

TEST_CASE("fences and signal fences take every order") {
  with_all_orders([](auto order) { cuda::atomic_signal_fence(order); });
// ThreadSanitizer knows no fences, and g++ says so.
#if !defined(__SANITIZE_THREAD__)
  with_all_orders([](auto order) {
    cuda::atomic_thread_fence(order);
    cuda::std::atomic_thread_fence(order);
    cuda::atomic_thread_fence(order, cuda::thread_scope_thread);
    cuda::atomic_thread_fence(order, cuda::thread_scope_block);
    cuda::atomic_thread_fence(order, cuda::thread_scope_cluster);
    cuda::atomic_thread_fence(order, cuda::thread_scope_device);
    cuda::atomic_thread_fence(order, cuda::thread_scope_system);
  });
#endif
  SUCCEED();
}
