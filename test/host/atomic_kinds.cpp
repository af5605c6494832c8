// Every member of every kind of atomic: of each scope, of cuda and cuda::std, objects and references, volatile or not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>
#include <type_traits>

using namespace std::chrono_literals;

// clang-format off
struct of_system { template <class Value> using type = cuda::atomic<Value>; };
struct of_device { template <class Value> using type = cuda::atomic<Value, cuda::thread_scope_device>; };
struct of_cluster { template <class Value> using type = cuda::atomic<Value, cuda::thread_scope_cluster>; };
struct of_block { template <class Value> using type = cuda::atomic<Value, cuda::thread_scope_block>; };
struct of_thread { template <class Value> using type = cuda::atomic<Value, cuda::thread_scope_thread>; };
struct of_standard { template <class Value> using type = cuda::std::atomic<Value>; };
struct volatile_of_system { template <class Value> using type = volatile cuda::atomic<Value>; };
struct volatile_of_standard { template <class Value> using type = volatile cuda::std::atomic<Value>; };
struct to_system { template <class Value> using type = const cuda::atomic_ref<Value>; };
struct to_device { template <class Value> using type = const cuda::atomic_ref<Value, cuda::thread_scope_device>; };
struct to_cluster { template <class Value> using type = const cuda::atomic_ref<Value, cuda::thread_scope_cluster>; };
struct to_block { template <class Value> using type = const cuda::atomic_ref<Value, cuda::thread_scope_block>; };
struct to_thread { template <class Value> using type = const cuda::atomic_ref<Value, cuda::thread_scope_thread>; };
struct to_standard { template <class Value> using type = const cuda::std::atomic_ref<Value>; };
struct to_volatile { template <class Value> using type = const cuda::atomic_ref<volatile Value>; };
struct to_standard_volatile { template <class Value> using type = const cuda::std::atomic_ref<volatile Value>; };
// clang-format on

#define KINDS                                                                                                   \
  of_system, of_device, of_cluster, of_block, of_thread, of_standard, volatile_of_system, volatile_of_standard, \
      to_system, to_device, to_cluster, to_block, to_thread, to_standard, to_volatile, to_standard_volatile

// An atomic of that kind: the object itself, or a reference with the object that it refers to.
template <class Kind, class Value>
class subject {
  using atomic = typename Kind::template type<Value>;
  static constexpr bool is_reference = std::is_copy_constructible_v<atomic>;

 public:
  explicit subject(Value initial) : object_(initial) {}
  decltype(auto) operator*() {
    if constexpr (is_reference)
      return atomic(object_);
    else
      return static_cast<atomic&>(object_);
  }

 private:
  std::conditional_t<is_reference, Value, atomic> object_;
};

TEMPLATE_TEST_CASE("load, store and exchange", "", KINDS) {
  subject<TestType, int> owner(1);
  auto&& atom = *owner;
  CHECK(atom.load() == 1);
  CHECK(atom == 1);
  atom.store(2);
  CHECK(atom.load() == 2);
  CHECK((atom = 3) == 3);
  CHECK(atom.load() == 3);
  CHECK(atom.exchange(4) == 3);
  CHECK(atom.load() == 4);
  static_assert(std::is_same_v<decltype(atom = 3), int> && std::is_same_v<decltype(atom.load()), int>);
  static_assert(noexcept(atom.load()) && noexcept(atom.store(1)) && noexcept(atom.exchange(1)));
}

// compare(expected, desired) is a compare-exchange of the atomic.
template <class Atom, class Compare>
void check_compare_exchange(Atom& atom, Compare compare) {
  atom.store(5);
  int expected = 4;
  CHECK_FALSE(compare(expected, 6));
  CHECK(expected == 5);
  CHECK(atom.load() == 5);
  CHECK(compare(expected, 6));
  CHECK(expected == 5);
  CHECK(atom.load() == 6);
}

TEMPLATE_TEST_CASE("compare_exchange stores desired, or reads into expected", "", KINDS) {
  subject<TestType, int> owner(0);
  auto&& atom = *owner;
  check_compare_exchange(atom,
                         [&](int& expected, int desired) { return atom.compare_exchange_strong(expected, desired); });
  check_compare_exchange(atom,
                         [&](int& expected, int desired) { return atom.compare_exchange_weak(expected, desired); });
}

TEMPLATE_TEST_CASE("fetch_ returns the old value, store_ nothing", "", KINDS) {
  subject<TestType, int> owner(20);
  auto&& atom = *owner;
  CHECK(atom.fetch_add(3) == 20);
  CHECK(atom.fetch_sub(5) == 23);
  CHECK(atom.fetch_and(26) == 18);
  CHECK(atom.fetch_or(12) == 18);
  CHECK(atom.fetch_xor(17) == 30);
  CHECK(atom.fetch_min(10) == 15);
  CHECK(atom.fetch_min(11) == 10);
  CHECK(atom.fetch_max(12) == 10);
  CHECK(atom.fetch_max(-4) == 12);
  atom.store_add(8);
  CHECK(atom.load() == 20);
  atom.store_sub(2);
  CHECK(atom.load() == 18);
  atom.store_or(12);
  CHECK(atom.load() == 30);
  atom.store_xor(17);
  CHECK(atom.load() == 15);
  atom.store_and(-8);
  CHECK(atom.load() == 8);
  atom.store_max(9);
  CHECK(atom.load() == 9);
  atom.store_min(-9);
  CHECK(atom.load() == -9);
  static_assert(std::is_same_v<decltype(atom.fetch_min(1)), int> && std::is_void_v<decltype(atom.store_min(1))>);
  static_assert(std::is_void_v<decltype(atom.store_add(1))> && std::is_void_v<decltype(atom.store_xor(1))>);
}

TEMPLATE_TEST_CASE("operators", "", KINDS) {
  subject<TestType, int> owner(5);
  auto&& atom = *owner;
  CHECK(++atom == 6);
  CHECK(--atom == 5);
  CHECK(atom++ == 5);
  CHECK(atom-- == 6);
  CHECK(atom.load() == 5);
  CHECK((atom += 7) == 12);
  CHECK((atom -= 2) == 10);
  CHECK((atom |= 5) == 15);
  CHECK((atom &= 12) == 12);
  CHECK((atom ^= 7) == 11);
  CHECK(atom.load() == 11);
  static_assert(std::is_same_v<decltype(++atom), int> && std::is_same_v<decltype(atom++), int>);
  static_assert(std::is_same_v<decltype(atom += 1), int> && std::is_same_v<decltype(atom ^= 1), int>);
}

TEMPLATE_TEST_CASE("pointers count in elements", "", KINDS) {
  double array[8];
  subject<TestType, double*> owner(array);
  auto&& atom = *owner;
  CHECK(atom.fetch_add(3) == array);
  CHECK(atom.fetch_sub(1) == array + 3);
  atom.store_add(5);
  atom.store_sub(4);
  CHECK(atom.load() == array + 3);
  CHECK(++atom == array + 4);
  CHECK(atom++ == array + 4);
  CHECK(--atom == array + 4);
  CHECK(atom-- == array + 4);
  CHECK((atom += 4) == array + 7);
  CHECK((atom -= 6) == array + 1);
  CHECK(atom.fetch_add(-1) == array + 1);
  CHECK(atom.exchange(array + 2) == array);
  CHECK(*atom.load(cuda::memory_order_acquire) == *(array + 2));
}

TEMPLATE_TEST_CASE("floating-point numbers", "", KINDS) {
  subject<TestType, float> owner(1.5f);
  auto&& atom = *owner;
  CHECK(atom.fetch_add(2) == 1.5f);
  CHECK(atom.fetch_sub(0.5f) == 3.5f);
  atom.store_add(1.25f);
  atom.store_sub(0.25f);
  CHECK(atom.load() == 4.0f);
  CHECK((atom += 1.5f) == 5.5f);
  CHECK((atom -= 0.25f) == 5.25f);
  CHECK(atom.fetch_max(7) == 5.25f);
  CHECK(atom.fetch_min(-1) == 7.0f);
  atom.store_max(2.5f);
  CHECK(atom.load() == 2.5f);
  atom.store_min(0.5f);
  CHECK(atom.load() == 0.5f);
}

TEMPLATE_TEST_CASE("waits for what is so already", "", KINDS) {
  subject<TestType, int> owner(5);
  auto&& atom = *owner;
  const auto is_five = [](int value) { return value == 5; };
  CHECK_FALSE(atom.wait_for(5, 0s));
  CHECK_FALSE(atom.wait_for([](int value) { return value > 5; }, 1us));
  CHECK_FALSE(atom.wait_until(5, std::chrono::steady_clock::now()));
  atom.wait(4);
  CHECK(atom.wait(is_five) == 5);
  CHECK(atom.wait_for(4, 1h));
  CHECK(atom.wait_for(is_five, 1h));
  CHECK(atom.wait_until(4, std::chrono::steady_clock::now() + 1h));
  CHECK(atom.wait_until(is_five, std::chrono::system_clock::now() + 1h));
  atom.notify_one();
  atom.notify_all();
}
