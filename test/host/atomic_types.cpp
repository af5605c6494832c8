// Atomics of every type: load, store, exchange and compare-exchange, of objects and of references.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

struct one_byte {
  signed char value;
};
struct alignas(2) two_bytes {
  char first, second;
};
struct four_bytes {
  short first, second;
};
struct eight_bytes {
  int first, second;
};
struct shorts {
  short values[4];
};
union number_or_letters {
  int number;
  char letters[4];
};
struct letters {
  char values[4];
};
struct without_default {
  explicit without_default(int number) : value(number) {}
  int value;
};
struct derived : four_bytes {
  int third;
};
enum class color : char { red, green, blue };
enum class wide_color : unsigned long { red, green = 1ul << 40, blue };
enum plain_enum { zero, one, two };
using function = void (*)();
using member = int eight_bytes::*;

#define TYPES                                                                                                       \
  bool, char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long, long long, \
      unsigned long long, wchar_t, char16_t, char32_t, float, double, int*, const char*, void*, function, member,   \
      color, wide_color, plain_enum, one_byte, two_bytes, four_bytes, eight_bytes, shorts, number_or_letters,       \
      without_default, derived

// Values that differ in all their bytes, or in what a bool or an enumeration has.
template <class Value>
Value sample(int which) {
  if constexpr (std::is_same_v<Value, bool>) {
    return which % 2 != 0;
  } else if constexpr (std::is_same_v<Value, plain_enum>) {
    return static_cast<plain_enum>(which % 4);
  } else {
    alignas(Value) unsigned char bytes[sizeof(Value)];
    for (std::size_t index = 0; index < sizeof(Value); ++index)
      bytes[index] = static_cast<unsigned char>(which * 32 + static_cast<int>(index) + 1);
    return *std::launder(reinterpret_cast<Value*>(bytes));
  }
}
template <class Value>
bool is_sample(const Value& value, int which) {
  const Value wanted = sample<Value>(which);
  return std::memcmp(&value, &wanted, sizeof(Value)) == 0;
}

// Remembers the first step that went wrong: cheaper to compile than a CHECK for each.
class step_counter {
 public:
  void expect(bool condition) {
    ++step_;
    if (!condition && first_wrong_ == 0) first_wrong_ = step_;
  }
  int first_wrong() const { return first_wrong_; }

 private:
  int step_ = 0;
  int first_wrong_ = 0;
};

template <class Value, class Atom>
int first_wrong_access(Atom& atom) {
  step_counter steps;
  steps.expect(is_sample<Value>(atom.load(), 0));
  atom.store(sample<Value>(1));
  steps.expect(is_sample<Value>(atom.load(), 1));
  const Value converted = atom;
  steps.expect(is_sample(converted, 1));
  const Value assigned = (atom = sample<Value>(2));
  steps.expect(is_sample(assigned, 2));
  steps.expect(is_sample<Value>(atom.exchange(sample<Value>(3)), 2));
  steps.expect(is_sample<Value>(atom.load(), 3));

  Value expected = sample<Value>(2);
  steps.expect(!atom.compare_exchange_strong(expected, sample<Value>(4)));
  steps.expect(is_sample(expected, 3));
  steps.expect(is_sample<Value>(atom.load(), 3));
  steps.expect(atom.compare_exchange_strong(expected, sample<Value>(4)));
  steps.expect(is_sample(expected, 3));
  steps.expect(is_sample<Value>(atom.load(), 4));

  expected = sample<Value>(4);
  steps.expect(atom.compare_exchange_weak(expected, sample<Value>(5)));
  steps.expect(is_sample<Value>(atom.load(), 5));
  steps.expect(!atom.compare_exchange_weak(expected, sample<Value>(6)));
  steps.expect(is_sample(expected, 5));

  atom.wait(sample<Value>(6));
  steps.expect(is_sample<Value>(atom.wait([](const Value& value) { return is_sample(value, 5); }), 5));
  steps.expect(is_sample<Value>(atom.load(), 5));
  return steps.first_wrong();
}

// What an object aligns, a reference would find anywhere.
TEMPLATE_TEST_CASE("objects of every type", "", TYPES, letters) {
  cuda::atomic<TestType> system(sample<TestType>(0));
  CHECK(first_wrong_access<TestType>(system) == 0);
  cuda::atomic<TestType, cuda::thread_scope_block> block(sample<TestType>(0));
  CHECK(first_wrong_access<TestType>(block) == 0);
  volatile cuda::std::atomic<TestType> standard(sample<TestType>(0));
  CHECK(first_wrong_access<TestType>(standard) == 0);
}

// An array, to see whether its other elements survive.
TEMPLATE_TEST_CASE("references to every type", "", TYPES) {
  alignas(sizeof(TestType)) TestType objects[] = {sample<TestType>(7), sample<TestType>(0), sample<TestType>(7)};
  const cuda::atomic_ref ref(objects[1]);
  CHECK(first_wrong_access<TestType>(ref) == 0);
  const cuda::std::atomic_ref<volatile TestType> standard(objects[1]);
  standard.store(sample<TestType>(0));
  CHECK(first_wrong_access<TestType>(standard) == 0);
  CHECK(is_sample(objects[0], 7));
  CHECK(is_sample(objects[2], 7));
}

TEMPLATE_TEST_CASE("floating-point numbers are compared by their bits", "", float, double) {
  constexpr TestType not_a_number = std::numeric_limits<TestType>::quiet_NaN();
  cuda::atomic<TestType> atom(not_a_number);
  TestType expected = not_a_number;
  CHECK(atom.compare_exchange_strong(expected, TestType(0)));
  expected = TestType(-0.0);
  CHECK_FALSE(atom.compare_exchange_strong(expected, TestType(1)));
  CHECK_FALSE(std::signbit(expected));
  atom.wait(TestType(-0.0));
  CHECK(std::isnan((atom = not_a_number)));
  CHECK_FALSE(atom.wait_for(not_a_number, std::chrono::seconds(0)));
}

TEST_CASE("a null pointer is a value like any other") {
  int object = 3;
  cuda::atomic<int*> atom(nullptr);
  CHECK(atom.load() == nullptr);
  atom = &object;
  CHECK(*atom.load() == 3);
  int* expected = nullptr;
  CHECK_FALSE(atom.compare_exchange_strong(expected, nullptr));
  CHECK(expected == &object);
  CHECK(atom.exchange(nullptr) == &object);
  CHECK_FALSE(atom);
}

TEST_CASE("a bool is a bit") {
  cuda::atomic<bool> atom(false);
  CHECK_FALSE(atom.fetch_or(true));
  CHECK(atom.fetch_xor(true, cuda::memory_order_relaxed));
  CHECK_FALSE((atom |= false));
  CHECK((atom ^= true));
  CHECK(atom.fetch_and(true));
  CHECK_FALSE((atom &= false));
  CHECK_FALSE(atom.fetch_max(true));
  CHECK(atom.fetch_min(false));
  CHECK_FALSE(atom);
}

TEST_CASE("enumerations have an order") {
  cuda::atomic<wide_color> atom(wide_color::green);
  CHECK(atom.fetch_max(wide_color::blue) == wide_color::green);
  CHECK(atom.fetch_min(wide_color::red) == wide_color::blue);
  CHECK(atom.load() == wide_color::red);
}

TEST_CASE("a predicate is no value, though a lambda converts to bool") {
  cuda::atomic<bool> atom(false);
  CHECK_FALSE(atom.wait([](bool value) { return !value; }));
  CHECK(atom.wait_for([](bool value) { return !value; }, std::chrono::hours(1)));
  CHECK_FALSE(atom.wait_for([](bool value) { return value; }, std::chrono::seconds(0)));
}
