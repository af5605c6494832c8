// cuda::memory_order, its constants as programs use them, and what the library derives from an order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <cudasync/core/memory_order.h>

#include <atomic>
#include <string>
#include <type_traits>

using cudasync::memory_order;

// The values are those of the compiler's built-ins, and of libcu++.
static_assert(static_cast<int>(memory_order::relaxed) == __ATOMIC_RELAXED);
static_assert(static_cast<int>(memory_order::consume) == __ATOMIC_CONSUME);
static_assert(static_cast<int>(memory_order::acquire) == __ATOMIC_ACQUIRE);
static_assert(static_cast<int>(memory_order::release) == __ATOMIC_RELEASE);
static_assert(static_cast<int>(memory_order::acq_rel) == __ATOMIC_ACQ_REL);
static_assert(static_cast<int>(memory_order::seq_cst) == __ATOMIC_SEQ_CST);

// The constants, of both namespaces and both spellings.
template <class Left, class Right>
constexpr bool is_one_order(Left left, Right right, int value) {
  return left == right && static_cast<int>(left) == value && static_cast<int>(right) == value;
}
static_assert(is_one_order(cuda::memory_order_relaxed, cuda::std::memory_order_relaxed, __ATOMIC_RELAXED));
static_assert(is_one_order(cuda::memory_order_consume, cuda::std::memory_order_consume, __ATOMIC_CONSUME));
static_assert(is_one_order(cuda::memory_order_acquire, cuda::std::memory_order_acquire, __ATOMIC_ACQUIRE));
static_assert(is_one_order(cuda::memory_order_release, cuda::std::memory_order_release, __ATOMIC_RELEASE));
static_assert(is_one_order(cuda::memory_order_acq_rel, cuda::std::memory_order_acq_rel, __ATOMIC_ACQ_REL));
static_assert(is_one_order(cuda::memory_order_seq_cst, cuda::std::memory_order_seq_cst, __ATOMIC_SEQ_CST));
static_assert(is_one_order(cuda::memory_order_relaxed, cuda::memory_order::relaxed, __ATOMIC_RELAXED));
static_assert(is_one_order(cuda::memory_order_consume, cuda::memory_order::memory_order_consume, __ATOMIC_CONSUME));
static_assert(is_one_order(cuda::memory_order_acquire, cuda::memory_order::memory_order_acquire, __ATOMIC_ACQUIRE));
static_assert(is_one_order(cuda::memory_order::release, cuda::memory_order::memory_order_release, __ATOMIC_RELEASE));
static_assert(is_one_order(cuda::memory_order_acq_rel, cuda::std::memory_order::acq_rel, __ATOMIC_ACQ_REL));
static_assert(is_one_order(cuda::std::memory_order::memory_order_seq_cst, memory_order::seq_cst, __ATOMIC_SEQ_CST));
static_assert(std::is_same_v<cuda::memory_order, cuda::std::memory_order>);

static_assert(cuda::memory_order_relaxed != cuda::memory_order_acquire);
static_assert(!(cuda::memory_order_relaxed == cuda::memory_order::seq_cst));
static_assert(cuda::memory_order_relaxed < cuda::memory_order_seq_cst);
static_assert(std::is_convertible_v<decltype(cuda::memory_order_relaxed), cuda::memory_order>);
static_assert(!std::is_convertible_v<decltype(cuda::memory_order_relaxed), int>);
static_assert(!std::is_convertible_v<cuda::memory_order, int>);
static_assert(!std::is_convertible_v<std::memory_order, cuda::memory_order>);

// A constant is an argument, a default argument, a template argument, a member.
constexpr cuda::memory_order pass(cuda::memory_order order = cuda::memory_order_acq_rel) {
  return order;
}
template <cuda::memory_order Order>
struct with_order {
  static constexpr cuda::memory_order value = Order;
};
static_assert(pass() == cuda::memory_order_acq_rel && pass(cuda::memory_order_release) == memory_order::release);
static_assert(with_order<cuda::memory_order_acquire>::value == cuda::memory_order_acquire);

const char* name_of(cuda::memory_order order) {
  switch (order) {
  case cuda::memory_order_relaxed:
    return "relaxed";
  case cuda::memory_order_consume:
    return "consume";
  case cuda::memory_order_acquire:
    return "acquire";
  case cuda::memory_order_release:
    return "release";
  case cuda::memory_order_acq_rel:
    return "acq_rel";
  case cuda::memory_order::seq_cst:
    return "seq_cst";
  }
  return "none";
}

TEST_CASE("orders in a switch") {
  CHECK(name_of(cuda::memory_order_relaxed) == std::string("relaxed"));
  CHECK(name_of(cuda::memory_order_consume) == std::string("consume"));
  CHECK(name_of(cuda::memory_order_acquire) == std::string("acquire"));
  CHECK(name_of(cuda::memory_order::release) == std::string("release"));
  CHECK(name_of(cuda::std::memory_order_acq_rel) == std::string("acq_rel"));
  CHECK(name_of(cuda::memory_order::memory_order_seq_cst) == std::string("seq_cst"));
}

TEST_CASE("orders in variables, and chosen at run time") {
  volatile bool is_first = true;
  const cuda::memory_order chosen = is_first ? cuda::memory_order::relaxed : cuda::memory_order::seq_cst;
  CHECK(chosen == cuda::memory_order_relaxed);
  const cuda::memory_order mixed = is_first ? chosen : cuda::memory_order_seq_cst;
  CHECK(mixed == cuda::memory_order_relaxed);
  cuda::memory_order order = cuda::memory_order_acquire;
  CHECK(order == cuda::memory_order::acquire);
  order = cuda::memory_order_release;
  CHECK(static_cast<int>(order) == __ATOMIC_RELEASE);
  CHECK(cuda::memory_order_release == order);
  CHECK(static_cast<cuda::memory_order>(2) == cuda::memory_order_acquire);
  const auto deduced = cuda::memory_order_acquire;
  order = deduced;
  CHECK(order == deduced);

  cuda::atomic<int> atom(0);
  atom.store(1, order = cuda::memory_order_release);
  CHECK(atom.load(is_first ? cuda::memory_order::acquire : cuda::memory_order::relaxed) == 1);
  CHECK(atom.load(deduced) == 1);
}

constexpr memory_order all[] = {memory_order::relaxed, memory_order::consume, memory_order::acquire,
                                memory_order::release, memory_order::acq_rel, memory_order::seq_cst};

// What an order promises, apart from how the library computes it.
struct promise {
  bool acquires;
  bool releases;
  bool is_total;
};
constexpr promise promises[] = {{false, false, false}, {true, false, false}, {true, false, false},
                                {false, true, false},  {true, true, false},  {true, true, true}};
constexpr promise promise_of(memory_order order) {
  return promises[static_cast<int>(order)];
}

TEST_CASE("which orders acquire, release, load and store") {
  for (const memory_order order : all) {
    INFO("order " << static_cast<int>(order));
    const promise its = promise_of(order);
    CHECK(cudasync::acquires(order) == its.acquires);
    CHECK(cudasync::releases(order) == its.releases);
    CHECK(cudasync::is_load_order(order) == (!its.releases || its.is_total));
    CHECK(cudasync::is_store_order(order) == (!its.acquires || its.is_total));
  }
}

TEST_CASE("a failed compare-exchange acquires as a successful one does, and releases nothing") {
  for (const memory_order order : all) {
    INFO("order " << static_cast<int>(order));
    const memory_order failure = cudasync::failure_order(order);
    CHECK(cudasync::is_load_order(failure));
    CHECK(promise_of(failure).acquires == promise_of(order).acquires);
    CHECK(promise_of(failure).is_total == promise_of(order).is_total);
  }
}

TEST_CASE("joined orders promise what both do, and nothing else") {
  for (const memory_order left : all)
    for (const memory_order right : all) {
      INFO("orders " << static_cast<int>(left) << " and " << static_cast<int>(right));
      const promise joined = promise_of(cudasync::joined(left, right));
      CHECK(joined.acquires == (promise_of(left).acquires || promise_of(right).acquires));
      CHECK(joined.releases == (promise_of(left).releases || promise_of(right).releases));
      CHECK(joined.is_total == (promise_of(left).is_total || promise_of(right).is_total));
    }
}

// Joined constants are constants, and mixed pairs are values.
static_assert(std::is_same_v<decltype(cudasync::joined(cuda::memory_order_release, cuda::memory_order_acquire)),
                             cudasync::order_constant<memory_order::acq_rel>>);
static_assert(
    std::is_same_v<decltype(cudasync::joined(cuda::memory_order_release, memory_order::acquire)), memory_order>);

template <class Order>
constexpr bool is_load_and_store = cudasync::may_load<Order> && cudasync::may_store<Order>;
static_assert(is_load_and_store<memory_order> && is_load_and_store<cudasync::order_constant<memory_order::relaxed>>);
static_assert(is_load_and_store<cudasync::order_constant<memory_order::seq_cst>>);
static_assert(!cudasync::may_load<cudasync::order_constant<memory_order::release>>);
static_assert(!cudasync::may_store<cudasync::order_constant<memory_order::acquire>>);
static_assert(!cudasync::may_store<cudasync::order_constant<memory_order::consume>>);
static_assert(!cudasync::may_load<cudasync::order_constant<memory_order::acq_rel>>);
