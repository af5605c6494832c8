// Arithmetic of atomic floating-point numbers: sums as the language rounds them, minimum and maximum by totalOrder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

template <class Value>
using word = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;

template <class Value>
word<Value> bits(Value value) {
  word<Value> result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}
template <class Value>
Value from_bits(word<Value> word_of_value) {
  Value result;
  std::memcpy(&result, &word_of_value, sizeof(result));
  return result;
}

// In the order of IEEE 754's totalOrder; NaNs of both signs and several payloads at its ends.
template <class Value>
std::vector<Value> ascending() {
  using limits = std::numeric_limits<Value>;
  const word<Value> infinity = bits(limits::infinity());
  const word<Value> sign = word<Value>{1} << (sizeof(Value) * 8 - 1);
  return {from_bits<Value>(~word<Value>{0}),
          from_bits<Value>(bits(limits::quiet_NaN()) | sign),
          from_bits<Value>((infinity | sign) + 1),
          -limits::infinity(),
          limits::lowest(),
          Value(-1.5),
          Value(-1),
          -limits::min(),
          -limits::denorm_min(),
          Value(-0.0),
          Value(0.0),
          limits::denorm_min(),
          limits::min(),
          Value(1),
          Value(1.5),
          limits::max(),
          limits::infinity(),
          from_bits<Value>(infinity + 1),
          limits::quiet_NaN(),
          from_bits<Value>(~sign)};
}

template <class Value, class Atom>
void check_order(Atom& atom) {
  const std::vector<Value> values = ascending<Value>();
  for (std::size_t left = 0; left < values.size(); ++left)
    for (std::size_t right = 0; right < values.size(); ++right) {
      INFO(values[left] << " and " << values[right]);
      const word<Value> before = bits(values[left]);
      const word<Value> least = bits(values[std::min(left, right)]);
      const word<Value> greatest = bits(values[std::max(left, right)]);
      atom.store(values[left]);
      CHECK(bits<Value>(atom.fetch_min(values[right])) == before);
      CHECK(bits<Value>(atom.exchange(values[left])) == least);
      CHECK(bits<Value>(atom.fetch_max(values[right])) == before);
      CHECK(bits<Value>(atom.exchange(values[left])) == greatest);
      atom.store_min(values[right]);
      CHECK(bits<Value>(atom.exchange(values[left])) == least);
      atom.store_max(values[right]);
      CHECK(bits<Value>(atom.load()) == greatest);
    }
}

TEMPLATE_TEST_CASE("minimum and maximum follow totalOrder", "", float, double) {
  cuda::atomic<TestType> atom(TestType{});
  check_order<TestType>(atom);
  TestType object = 0;
  const cuda::std::atomic_ref ref(object);
  check_order<TestType>(ref);
}

// Equal in all bits, but for NaNs, whose payload no one promises.
template <class Value>
bool is_same_number(Value left, Value right) {
  return bits(left) == bits(right) || (std::isnan(left) && std::isnan(right));
}

TEMPLATE_TEST_CASE("sums and differences are those of the language", "", float, double) {
  cuda::atomic<TestType> atom(TestType{});
  for (const TestType left : ascending<TestType>())
    for (const TestType right : ascending<TestType>()) {
      INFO(left << " and " << right);
      atom.store(left);
      CHECK(is_same_number(atom.fetch_add(right), left));
      CHECK(is_same_number(atom.exchange(left), left + right));
      CHECK(is_same_number(atom.fetch_sub(right), left));
      CHECK(is_same_number(atom.exchange(left), left - right));
      CHECK(is_same_number(atom += right, left + right));
      atom.store(left);
      CHECK(is_same_number(atom -= right, left - right));
      atom.store(left);
      atom.store_add(right);
      CHECK(is_same_number(atom.exchange(left), left + right));
      atom.store_sub(right);
      CHECK(is_same_number(atom.load(), left - right));
    }
}

TEMPLATE_TEST_CASE("zeros keep their signs as in the language", "", float, double) {
  cuda::atomic<TestType> atom(TestType(-0.0));
  CHECK(std::signbit(atom.fetch_add(TestType(-0.0))));
  CHECK(std::signbit(atom.load()));
  atom.fetch_add(TestType(0.0));
  CHECK_FALSE(std::signbit(atom.load()));
  atom.store(TestType(-0.0));
  atom.fetch_sub(TestType(0.0));
  CHECK(std::signbit(atom.load()));
  atom.fetch_sub(TestType(-0.0));
  CHECK_FALSE(std::signbit(atom.load()));
}

TEMPLATE_TEST_CASE("sums are rounded to the type at each step", "", float, double) {
  constexpr TestType half_ulp = std::numeric_limits<TestType>::epsilon() / 2;
  cuda::atomic<TestType> atom(TestType(1));
  atom.fetch_add(half_ulp);
  atom.fetch_add(half_ulp);
  CHECK(atom.load() == TestType(1));
  atom.fetch_add(2 * half_ulp);
  CHECK(atom.load() > TestType(1));
}
