// The free functions of <atomic>, in cuda and in cuda::std, on atomics of both.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <type_traits>

struct pair {
  int first, second;
};

#define ATOMICS                                                                                    \
  cuda::atomic<long>, volatile cuda::atomic<long>, (cuda::atomic<long, cuda::thread_scope_block>), \
      (volatile cuda::atomic<long, cuda::thread_scope_device>), cuda::std::atomic<long>,           \
      volatile cuda::std::atomic<long>

TEMPLATE_TEST_CASE("functions that load, store and exchange", "", ATOMICS) {
  TestType atom(0);
  cuda::atomic_init(&atom, 1);  // an int for a long, as for each operand below
  CHECK(cuda::atomic_load(&atom) == 1);
  cuda::std::atomic_init(&atom, 2);
  CHECK(cuda::std::atomic_load(&atom) == 2);
  CHECK(cuda::atomic_load_explicit(&atom, cuda::memory_order_acquire) == 2);
  CHECK(cuda::std::atomic_load_explicit(&atom, cuda::memory_order::relaxed) == 2);
  cuda::atomic_store(&atom, 3);
  CHECK(cuda::atomic_exchange(&atom, 4) == 3);
  cuda::std::atomic_store(&atom, 5);
  CHECK(cuda::std::atomic_exchange(&atom, 6) == 5);
  cuda::atomic_store_explicit(&atom, 7, cuda::memory_order_release);
  CHECK(cuda::atomic_exchange_explicit(&atom, 8, cuda::memory_order_acq_rel) == 7);
  cuda::std::atomic_store_explicit(&atom, 9, cuda::memory_order::relaxed);
  CHECK(cuda::std::atomic_exchange_explicit(&atom, 10, cuda::memory_order::seq_cst) == 9);
  CHECK(atom.load() == 10);
  CHECK(cuda::atomic_is_lock_free(&atom));
  CHECK(cuda::std::atomic_is_lock_free(&atom));
  static_assert(noexcept(cuda::atomic_load(&atom)) && noexcept(cuda::atomic_store(&atom, 1)));
}

TEMPLATE_TEST_CASE("functions that compare and exchange", "", ATOMICS) {
  TestType atom(5);
  long expected = 4;
  CHECK_FALSE(cuda::atomic_compare_exchange_strong(&atom, &expected, 6));
  CHECK(expected == 5);
  CHECK(cuda::atomic_compare_exchange_strong(&atom, &expected, 6));
  CHECK_FALSE(cuda::atomic_compare_exchange_weak(&atom, &expected, 7));
  CHECK(expected == 6);
  CHECK(cuda::atomic_compare_exchange_weak(&atom, &expected, 7));
  CHECK(atom.load() == 7);
  CHECK_FALSE(cuda::std::atomic_compare_exchange_strong_explicit(&atom, &expected, 8, cuda::memory_order_release,
                                                                 cuda::memory_order_relaxed));
  CHECK(expected == 7);
  CHECK(cuda::atomic_compare_exchange_strong_explicit(&atom, &expected, 8, cuda::memory_order::acq_rel,
                                                      cuda::memory_order_acquire));
  CHECK_FALSE(cuda::atomic_compare_exchange_weak_explicit(&atom, &expected, 9, cuda::memory_order_relaxed,
                                                          cuda::memory_order::relaxed));
  CHECK(expected == 8);
  CHECK(cuda::std::atomic_compare_exchange_weak_explicit(&atom, &expected, 9, cuda::memory_order_seq_cst,
                                                         cuda::memory_order_seq_cst));
  CHECK(atom.load() == 9);
  CHECK_FALSE(cuda::std::atomic_compare_exchange_weak(&atom, &expected, 1));
  CHECK(cuda::std::atomic_compare_exchange_strong(&atom, &expected, 12));
  CHECK(atom.load() == 12);
}

TEMPLATE_TEST_CASE("functions that return the old value", "", ATOMICS) {
  constexpr auto relaxed = cuda::memory_order_relaxed;
  constexpr auto acquire = cuda::memory_order::acquire;
  TestType atom(12);
  const auto expect = [&](long old, long next) {
    CHECK(old == 12);
    CHECK(atom.exchange(12) == next);
  };
  expect(cuda::atomic_fetch_add(&atom, 10), 22);
  expect(cuda::std::atomic_fetch_add(&atom, 11), 23);
  expect(cuda::atomic_fetch_add_explicit(&atom, -10, relaxed), 2);
  expect(cuda::std::atomic_fetch_add_explicit(&atom, 10, acquire), 22);
  expect(cuda::atomic_fetch_sub(&atom, 10), 2);
  expect(cuda::std::atomic_fetch_sub_explicit(&atom, -10, relaxed), 22);
  expect(cuda::atomic_fetch_and(&atom, 10), 8);
  expect(cuda::std::atomic_fetch_and_explicit(&atom, 6, acquire), 4);
  expect(cuda::atomic_fetch_or(&atom, 10), 14);
  expect(cuda::std::atomic_fetch_or_explicit(&atom, 3, relaxed), 15);
  expect(cuda::atomic_fetch_xor(&atom, 10), 6);
  expect(cuda::std::atomic_fetch_xor_explicit(&atom, 12, acquire), 0);
  expect(cuda::atomic_fetch_min(&atom, 10), 10);
  expect(cuda::std::atomic_fetch_min_explicit(&atom, 20, relaxed), 12);
  expect(cuda::atomic_fetch_max(&atom, 10), 12);
  expect(cuda::std::atomic_fetch_max_explicit(&atom, 20, acquire), 20);
  static_assert(std::is_same_v<decltype(cuda::atomic_fetch_add(&atom, 1)), long>);
}

TEMPLATE_TEST_CASE("functions that return nothing", "", ATOMICS) {
  constexpr auto relaxed = cuda::memory_order_relaxed;
  constexpr auto release = cuda::memory_order::release;
  TestType atom(12);
  const auto expect = [&](long next) { CHECK(atom.exchange(12) == next); };
  cuda::atomic_store_add(&atom, 10);
  expect(22);
  cuda::std::atomic_store_add_explicit(&atom, -10, relaxed);
  expect(2);
  cuda::atomic_store_sub(&atom, 10);
  expect(2);
  cuda::std::atomic_store_sub_explicit(&atom, -10, release);
  expect(22);
  cuda::atomic_store_and(&atom, 10);
  expect(8);
  cuda::std::atomic_store_and_explicit(&atom, 6, relaxed);
  expect(4);
  cuda::atomic_store_or(&atom, 10);
  expect(14);
  cuda::std::atomic_store_or_explicit(&atom, 3, release);
  expect(15);
  cuda::atomic_store_xor(&atom, 10);
  expect(6);
  cuda::std::atomic_store_xor_explicit(&atom, 12, relaxed);
  expect(0);
  cuda::atomic_store_min(&atom, 10);
  expect(10);
  cuda::std::atomic_store_min_explicit(&atom, 20, release);
  expect(12);
  cuda::atomic_store_max(&atom, 10);
  expect(12);
  cuda::std::atomic_store_max_explicit(&atom, 20, relaxed);
  expect(20);
  static_assert(std::is_void_v<decltype(cuda::atomic_store_add(&atom, 1))>);
}

TEMPLATE_TEST_CASE("functions that wait and notify", "", ATOMICS) {
  TestType atom(1);
  cuda::atomic_wait(&atom, 0);
  cuda::std::atomic_wait(&atom, 2);
  cuda::atomic_wait_explicit(&atom, 0, cuda::memory_order_relaxed);
  cuda::std::atomic_wait_explicit(&atom, 0, cuda::memory_order::acquire);
  cuda::atomic_notify_one(&atom);
  cuda::std::atomic_notify_one(&atom);
  cuda::atomic_notify_all(&atom);
  cuda::std::atomic_notify_all(&atom);
  CHECK(atom.load() == 1);
}

TEST_CASE("functions on pointers, floating-point numbers and structs") {
  int array[4] = {};
  cuda::atomic<int*> pointer(array);
  CHECK(cuda::atomic_fetch_add(&pointer, 3) == array);
  CHECK(cuda::atomic_fetch_sub_explicit(&pointer, 1, cuda::memory_order_relaxed) == array + 3);
  cuda::atomic_store_sub(&pointer, 2);
  CHECK(cuda::atomic_load(&pointer) == array);
  cuda::atomic_store(&pointer, nullptr);
  CHECK(pointer.load() == nullptr);

  cuda::std::atomic<double> number(1.5);
  CHECK(cuda::std::atomic_fetch_add(&number, 2) == 1.5);
  CHECK(cuda::std::atomic_fetch_max(&number, 4) == 3.5);
  CHECK(cuda::atomic_fetch_min(&number, -1) == 4.0);

  cuda::atomic<pair> object(pair{1, 2});
  cuda::atomic_init(&object, {3, 4});
  CHECK(cuda::atomic_load(&object).second == 4);
  cuda::atomic_store(&object, {5, 6});
  CHECK(cuda::atomic_exchange(&object, {7, 8}).first == 5);
}

TEST_CASE("functions that only read take constant atomics") {
  const cuda::atomic<int> plain(3);
  const volatile cuda::std::atomic<int> standard(4);
  CHECK(cuda::atomic_load(&plain) == 3);
  CHECK(cuda::atomic_load_explicit(&standard, cuda::memory_order_relaxed) == 4);
  cuda::atomic_wait(&plain, 4);
  cuda::atomic_wait_explicit(&standard, 3, cuda::memory_order_acquire);
}

TEST_CASE("kill_dependency returns its argument") {
  int object = 5;
  CHECK(cuda::kill_dependency(object) == 5);
  CHECK(*cuda::std::kill_dependency(&object) == 5);
  static_assert(std::is_same_v<decltype(cuda::kill_dependency(object)), int>);
}
