// Arithmetic of atomic integers of every type, against the same in wider ones; and of pointers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#define INTEGERS                                                                                              \
  char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long, long long, \
      unsigned long long, wchar_t, char16_t, char32_t

// Zero, the limits, their neighbours, and some between.
template <class Value>
std::vector<Value> interesting() {
  using limits = std::numeric_limits<Value>;
  return {0,
          1,
          2,
          static_cast<Value>(-1),
          static_cast<Value>(-2),
          limits::min(),
          static_cast<Value>(limits::min() + 1),
          limits::max(),
          static_cast<Value>(limits::max() - 1),
          static_cast<Value>(0x55),
          static_cast<Value>(0x123456789abcdef1)};
}

// What the operations mean, modulo 2^64 first and then modulo the type's.
template <class Value>
Value wrapped(std::uint64_t number) {
  return static_cast<Value>(number);
}
template <class Value>
std::uint64_t wide(Value number) {
  return static_cast<std::uint64_t>(number);
}

// Whether fetch(atom, right) returns left and leaves the result, and store(atom, right) leaves it too.
template <class Value, class Atom, class Fetch, class Store>
bool works(Atom& atom, Value left, Value right, Value result, Fetch fetch, Store store) {
  atom.store(left);
  if (fetch(atom, right) != left || atom.load() != result) return false;
  atom.store(left);
  store(atom, right);
  return atom.load() == result;
}
// And whether the operator returns the result.
template <class Value, class Atom, class Assign>
bool assigns(Atom& atom, Value left, Value right, Value result, Assign assign) {
  atom.store(left);
  return assign(atom, right) == result && atom.load() == result;
}

template <class Value, class Atom>
void check_pair(Atom& atom, Value left, Value right) {
  INFO(+left << " and " << +right);
  const Value sum = wrapped<Value>(wide(left) + wide(right));
  const Value difference = wrapped<Value>(wide(left) - wide(right));
  const Value both = wrapped<Value>(wide(left) & wide(right));
  const Value either = wrapped<Value>(wide(left) | wide(right));
  const Value one = wrapped<Value>(wide(left) ^ wide(right));

#define WORKS(NAME, RESULT)                                                          \
  works<Value>(                                                                      \
      atom, left, right, RESULT, [](auto& a, Value b) { return a.fetch_##NAME(b); }, \
      [](auto& a, Value b) { a.store_##NAME(b); })
#define ASSIGNS(OPERATOR, RESULT) \
  assigns<Value>(atom, left, right, RESULT, [](auto& a, Value b) { return a OPERATOR b; })
  CHECK((WORKS(add, sum) && ASSIGNS(+=, sum)));
  CHECK((WORKS(sub, difference) && ASSIGNS(-=, difference)));
  CHECK((WORKS(and, both) && ASSIGNS(&=, both)));
  CHECK((WORKS(or, either) && ASSIGNS(|=, either)));
  CHECK((WORKS(xor, one) && ASSIGNS(^=, one)));
  CHECK(WORKS(min, std::min(left, right)));
  CHECK(WORKS(max, std::max(left, right)));
#undef ASSIGNS
#undef WORKS
}

template <class Value, class Atom>
void check_steps(Atom& atom, Value before) {
  INFO(+before);
  const Value next = wrapped<Value>(wide(before) + 1);
  atom.store(before);
  CHECK(atom++ == before);
  CHECK(atom.load() == next);
  CHECK(--atom == before);
  CHECK(++atom == next);
  CHECK(atom-- == next);
  CHECK(atom.load() == before);
}

TEMPLATE_TEST_CASE("integers wrap around and compare with their signs", "", INTEGERS) {
  cuda::atomic<TestType> atom(TestType{});
  for (const TestType left : interesting<TestType>()) {
    check_steps(atom, left);
    for (const TestType right : interesting<TestType>())
      check_pair(atom, left, right);
  }
}

// An object of one or two bytes has neighbours, which no carry may reach.
TEMPLATE_TEST_CASE("references to integers do the same, and leave the neighbours alone", "", INTEGERS) {
  alignas(sizeof(TestType)) TestType objects[3] = {TestType(85), TestType(0), TestType(85)};
  const cuda::atomic_ref<TestType, cuda::thread_scope_device> atom(objects[1]);
  for (const TestType left : interesting<TestType>()) {
    check_steps(atom, left);
    for (const TestType right : interesting<TestType>())
      check_pair(atom, left, right);
    CHECK(objects[0] == TestType(85));
    CHECK(objects[2] == TestType(85));
  }
}

TEMPLATE_TEST_CASE("all pairs of bytes", "", signed char, unsigned char, char) {
  cuda::atomic<TestType> atom(TestType{});
  int wrong = 0;
  for (int left = 0; left < 256; ++left)
    for (int right = 0; right < 256; ++right) {
      const auto before = static_cast<TestType>(left);
      const auto operand = static_cast<TestType>(right);
      const auto expect = [&](TestType old, int result) {
        wrong += old != before || atom.exchange(before) != static_cast<TestType>(result);
      };
      atom.store(before);
      expect(atom.fetch_add(operand), left + right);
      expect(atom.fetch_sub(operand), left - right);
      expect(atom.fetch_and(operand), left & right);
      expect(atom.fetch_or(operand), left | right);
      expect(atom.fetch_xor(operand), left ^ right);
      expect(atom.fetch_min(operand), std::min(before, operand));
      expect(atom.fetch_max(operand), std::max(before, operand));
    }
  CHECK(wrong == 0);
}

TEST_CASE("operands convert to the value type first") {
  cuda::atomic<unsigned char> small(250);
  CHECK(small.fetch_add(static_cast<unsigned char>(260)) == 250);
  CHECK(small.load() == 254);
  cuda::atomic<long> large(0);
  CHECK(large.fetch_sub(1) == 0);
  CHECK(large.fetch_min(-3) == -1);
  CHECK(large.load() == -3);
  cuda::atomic<unsigned long> unsigned_large(0);
  CHECK(unsigned_large.fetch_sub(1) == 0);
  CHECK(unsigned_large.load() == std::numeric_limits<unsigned long>::max());
}

struct three_bytes {
  char values[3];
};

TEMPLATE_TEST_CASE("pointers move by the size of what they point to", "", char, short, three_bytes, double, const int,
                   int*) {
  TestType* const array = reinterpret_cast<TestType*>(std::uintptr_t{0x10000});
  const auto at = [](std::ptrdiff_t index) {
    const auto bytes = static_cast<std::ptrdiff_t>(sizeof(TestType)) * index;
    return reinterpret_cast<TestType*>(std::uintptr_t{0x10000} + static_cast<std::uintptr_t>(bytes));
  };
  cuda::atomic<TestType*> atom(array);
  CHECK(atom.fetch_add(100) == array);
  CHECK(atom.fetch_sub(1) == at(100));
  CHECK(atom.fetch_add(-199) == at(99));
  CHECK(atom.fetch_sub(-200) == at(-100));
  atom.store_add(7);
  CHECK(atom.load() == at(107));
  atom.store_sub(8);
  CHECK(++atom == at(100));
  CHECK(--atom == at(99));
  CHECK(atom++ == at(99));
  CHECK(atom-- == at(100));
  CHECK((atom += 1) == at(100));
  CHECK((atom -= -1) == at(101));
  TestType* object = array;
  const cuda::std::atomic_ref ref(object);
  CHECK(ref.fetch_add(2) == array);
  CHECK((ref -= 3) == at(-1));
  CHECK(object == at(-1));
}
