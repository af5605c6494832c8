// cuda::atomic and cuda::std::atomic as types: layout, construction, constants, names of C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "catch.h"

#include <cuda/atomic>
#include <cuda/std/atomic>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

struct two_bytes {
  char first, second;
};
struct alignas(4) four_bytes {
  short first, second;
};
struct eight_bytes {
  int first, second;
};
struct sixteen_bytes {
  long first, second;
};
struct without_default {
  explicit constexpr without_default(int number) : value(number) {}
  int value;
};
struct with_default {
  int value = 42;
};
struct with_constant {
  const int value;
};
enum class color : short { red, green, blue };
enum plain_enum { zero, one };

template <class Atomic>
constexpr bool is_pinned =
    !std::is_copy_constructible_v<Atomic> && !std::is_move_constructible_v<Atomic> &&
    !std::is_assignable_v<Atomic&, const Atomic&> && !std::is_assignable_v<volatile Atomic&, const Atomic&> &&
    !std::is_assignable_v<Atomic&, Atomic&&> && !std::is_assignable_v<volatile Atomic&, Atomic&&> &&
    std::is_trivially_destructible_v<Atomic> && std::is_standard_layout_v<Atomic>;

template <class Value, std::size_t Size>
constexpr bool has_size_everywhere =
    sizeof(cuda::atomic<Value>) == Size && alignof(cuda::atomic<Value>) == Size &&
    sizeof(cuda::atomic<Value, cuda::thread_scope_block>) == Size && sizeof(cuda::std::atomic<Value>) == Size &&
    alignof(cuda::std::atomic<Value>) == Size && is_pinned<cuda::atomic<Value>> && is_pinned<cuda::std::atomic<Value>>;

static_assert(has_size_everywhere<bool, 4> && has_size_everywhere<char, 4> && has_size_everywhere<short, 4>);
static_assert(has_size_everywhere<char16_t, 4> && has_size_everywhere<two_bytes, 4>);
static_assert(has_size_everywhere<color, 4> && has_size_everywhere<plain_enum, 4>);
static_assert(has_size_everywhere<int, 4> && has_size_everywhere<float, 4> && has_size_everywhere<four_bytes, 4>);
static_assert(has_size_everywhere<without_default, 4> && has_size_everywhere<with_constant, 4>);
static_assert(has_size_everywhere<long long, 8> && has_size_everywhere<double, 8> && has_size_everywhere<int*, 8>);
static_assert(has_size_everywhere<eight_bytes, 8> && has_size_everywhere<std::nullptr_t, 8>);
static_assert(has_size_everywhere<sixteen_bytes, 16>);

static_assert(cuda::atomic<char>::is_always_lock_free && cuda::atomic<eight_bytes>::is_always_lock_free);
static_assert(!cuda::atomic<sixteen_bytes>::is_always_lock_free);
static_assert(cuda::std::atomic<double>::is_always_lock_free && !cuda::std::atomic<sixteen_bytes>::is_always_lock_free);

static_assert(std::is_same_v<cuda::atomic<short>::value_type, short>);
static_assert(std::is_same_v<cuda::atomic<short>::difference_type, short>);
static_assert(std::is_same_v<cuda::atomic<double>::difference_type, double>);
static_assert(std::is_same_v<cuda::atomic<short*>::value_type, short*>);
static_assert(std::is_same_v<cuda::atomic<short*>::difference_type, std::ptrdiff_t>);
static_assert(std::is_same_v<cuda::std::atomic<unsigned>::value_type, unsigned>);
static_assert(std::is_same_v<cuda::std::atomic<unsigned>::difference_type, unsigned>);

// No difference_type but of numbers and pointers.
template <class Atomic, class = void>
constexpr bool has_difference = false;
template <class Atomic>
constexpr bool has_difference<Atomic, std::void_t<typename Atomic::difference_type>> = true;
static_assert(has_difference<cuda::atomic<char>> && has_difference<cuda::std::atomic<float>>);
static_assert(!has_difference<cuda::atomic<bool>> && !has_difference<cuda::atomic<color>>);
static_assert(!has_difference<cuda::atomic<eight_bytes>> && !has_difference<cuda::std::atomic<bool>>);

// A cuda::atomic may lie in __shared__ memory; a cuda::std::atomic starts as zero.
static_assert(std::is_trivially_default_constructible_v<cuda::atomic<char>>);
static_assert(std::is_trivially_default_constructible_v<cuda::atomic<int, cuda::thread_scope_block>>);
static_assert(std::is_trivially_default_constructible_v<cuda::atomic<eight_bytes>>);
static_assert(!std::is_default_constructible_v<cuda::atomic<without_default>>);
static_assert(std::is_nothrow_default_constructible_v<cuda::std::atomic<int>>);
static_assert(!std::is_trivially_default_constructible_v<cuda::std::atomic<int>>);
static_assert(std::is_nothrow_constructible_v<cuda::atomic<int>, int>);
static_assert(std::is_convertible_v<int, cuda::atomic<int>> == std::is_convertible_v<int, cuda::std::atomic<int>>);

// Deduction, by copy-initialization too.
static_assert(std::is_same_v<decltype(cuda::atomic(1)), cuda::atomic<int, cuda::thread_scope_system>>);
static_assert(std::is_same_v<decltype(cuda::atomic(2.0)), cuda::atomic<double>>);
static_assert(std::is_same_v<decltype(cuda::atomic(eight_bytes{})), cuda::atomic<eight_bytes>>);
static_assert(std::is_same_v<decltype(cuda::std::atomic(1)), cuda::std::atomic<int>>);
static_assert(std::is_same_v<decltype(cuda::std::atomic(color::red)), cuda::std::atomic<color>>);

// Constant expressions initialize atomics of each size and scope.
static_assert((cuda::atomic<int>(3), cuda::atomic<char>('a'), cuda::atomic<double>(1.5), true));
static_assert((cuda::atomic<short, cuda::thread_scope_block>(3), cuda::atomic<int*>(nullptr), true));
static_assert((cuda::atomic<eight_bytes>(eight_bytes{1, 2}), cuda::atomic<sixteen_bytes>(sixteen_bytes{1, 2}), true));
static_assert((cuda::std::atomic<int>(3), cuda::std::atomic<bool>(true), true));
static_assert((cuda::std::atomic<int>(), cuda::std::atomic<char>(), cuda::std::atomic<double*>(), true));
static_assert((cuda::atomic_flag(true), cuda::atomic_flag(false), true));
constexpr cuda::atomic<int> constant(41);
constexpr cuda::std::atomic<short> small_constant(-7);

TEST_CASE("atomics are initialized with their value") {
  CHECK(constant.load() == 41);
  CHECK(small_constant.load() == -7);
  const cuda::atomic<char> letter('x');
  CHECK(letter == 'x');
  cuda::atomic<long> copied = 5;
  CHECK(copied.load() == 5);
  cuda::std::atomic<double> braced{2.5};
  CHECK(braced.load() == 2.5);
  cuda::atomic<without_default> wrapped(without_default(6));
  CHECK(wrapped.load().value == 6);
  cuda::atomic<color> colored = color::blue;
  CHECK(colored.load() == color::blue);
}

template <class Atomic>
struct dirty {
  alignas(Atomic) unsigned char bytes[sizeof(Atomic)];
  dirty() { std::memset(bytes, 0xa5, sizeof(bytes)); }
};

TEMPLATE_TEST_CASE("a default-constructed cuda::std::atomic is zero, and so is a cuda::atomic with parentheses", "",
                   bool, char, short, int, long, float, double, int*) {
  dirty<cuda::std::atomic<TestType>> standard;
  auto* const zero_standard = ::new (static_cast<void*>(standard.bytes)) cuda::std::atomic<TestType>;
  CHECK(zero_standard->load() == TestType());
  dirty<cuda::atomic<TestType>> plain;
  auto* const zero_plain = ::new (static_cast<void*>(plain.bytes)) cuda::atomic<TestType>();
  CHECK(zero_plain->load() == TestType());
}

TEST_CASE("default member initializers of the value type apply") {
  CHECK(cuda::std::atomic<with_default>().load().value == 42);
  cuda::atomic<with_default> plain;
  CHECK(plain.load().value == 42);
}

TEST_CASE("atomics of values with constant members can be read and exchanged") {
  cuda::atomic<with_constant> object(with_constant{3});
  CHECK(object.exchange(with_constant{4}).value == 3);
  object.store(with_constant{5});
  CHECK(object.load().value == 5);
}

TEST_CASE("atomics tell whether they are lock-free") {
  const cuda::atomic<int> four(0);
  const volatile cuda::std::atomic<long> eight(0);
  const cuda::atomic<sixteen_bytes, cuda::thread_scope_device> sixteen(sixteen_bytes{});
  CHECK(four.is_lock_free());
  CHECK(eight.is_lock_free());
  CHECK_FALSE(sixteen.is_lock_free());
  CHECK(cuda::atomic_is_lock_free(&four));
  CHECK(cuda::std::atomic_is_lock_free(&eight));
  CHECK_FALSE(cuda::atomic_is_lock_free(&sixteen));
}

static_assert(LIBCUDACXX_ATOMIC_BOOL_LOCK_FREE == 2 && LIBCUDACXX_ATOMIC_CHAR_LOCK_FREE == 2);
static_assert(LIBCUDACXX_ATOMIC_CHAR16_T_LOCK_FREE == 2 && LIBCUDACXX_ATOMIC_CHAR32_T_LOCK_FREE == 2);
static_assert(LIBCUDACXX_ATOMIC_WCHAR_T_LOCK_FREE == 2 && LIBCUDACXX_ATOMIC_SHORT_LOCK_FREE == 2);
static_assert(LIBCUDACXX_ATOMIC_INT_LOCK_FREE == 2 && LIBCUDACXX_ATOMIC_LONG_LOCK_FREE == 2);
static_assert(LIBCUDACXX_ATOMIC_LLONG_LOCK_FREE == 2 && LIBCUDACXX_ATOMIC_POINTER_LOCK_FREE == 2);

TEST_CASE("the macros of C++ initialize") {
  cuda::atomic<int> number = LIBCUDACXX_ATOMIC_VAR_INIT(9);
  CHECK(number.load() == 9);
  cuda::std::atomic<eight_bytes> object = LIBCUDACXX_ATOMIC_VAR_INIT({3, 4});
  CHECK(object.load().second == 4);
  cuda::atomic_flag flag = LIBCUDACXX_ATOMIC_FLAG_INIT;
  CHECK_FALSE(flag.test());
}

// The names that the C++ standard gives to atomics.
template <class Name, class Value>
constexpr bool names = std::is_same_v<Name, cuda::std::atomic<Value>>;

static_assert(names<cuda::std::atomic_bool, bool> && names<cuda::std::atomic_char, char>);
static_assert(names<cuda::std::atomic_schar, signed char> && names<cuda::std::atomic_uchar, unsigned char>);
static_assert(names<cuda::std::atomic_short, short> && names<cuda::std::atomic_ushort, unsigned short>);
static_assert(names<cuda::std::atomic_int, int> && names<cuda::std::atomic_uint, unsigned int>);
static_assert(names<cuda::std::atomic_long, long> && names<cuda::std::atomic_ulong, unsigned long>);
static_assert(names<cuda::std::atomic_llong, long long> && names<cuda::std::atomic_ullong, unsigned long long>);
static_assert(names<cuda::std::atomic_char16_t, char16_t> && names<cuda::std::atomic_char32_t, char32_t>);
static_assert(names<cuda::std::atomic_wchar_t, wchar_t>);
static_assert(names<cuda::std::atomic_int8_t, std::int8_t> && names<cuda::std::atomic_uint8_t, std::uint8_t>);
static_assert(names<cuda::std::atomic_int16_t, std::int16_t> && names<cuda::std::atomic_uint16_t, std::uint16_t>);
static_assert(names<cuda::std::atomic_int32_t, std::int32_t> && names<cuda::std::atomic_uint32_t, std::uint32_t>);
static_assert(names<cuda::std::atomic_int64_t, std::int64_t> && names<cuda::std::atomic_uint64_t, std::uint64_t>);
static_assert(names<cuda::std::atomic_int_least8_t, std::int_least8_t>);
static_assert(names<cuda::std::atomic_uint_least8_t, std::uint_least8_t>);
static_assert(names<cuda::std::atomic_int_least16_t, std::int_least16_t>);
static_assert(names<cuda::std::atomic_uint_least16_t, std::uint_least16_t>);
static_assert(names<cuda::std::atomic_int_least32_t, std::int_least32_t>);
static_assert(names<cuda::std::atomic_uint_least32_t, std::uint_least32_t>);
static_assert(names<cuda::std::atomic_int_least64_t, std::int_least64_t>);
static_assert(names<cuda::std::atomic_uint_least64_t, std::uint_least64_t>);
static_assert(names<cuda::std::atomic_int_fast8_t, std::int_fast8_t>);
static_assert(names<cuda::std::atomic_uint_fast8_t, std::uint_fast8_t>);
static_assert(names<cuda::std::atomic_int_fast16_t, std::int_fast16_t>);
static_assert(names<cuda::std::atomic_uint_fast16_t, std::uint_fast16_t>);
static_assert(names<cuda::std::atomic_int_fast32_t, std::int_fast32_t>);
static_assert(names<cuda::std::atomic_uint_fast32_t, std::uint_fast32_t>);
static_assert(names<cuda::std::atomic_int_fast64_t, std::int_fast64_t>);
static_assert(names<cuda::std::atomic_uint_fast64_t, std::uint_fast64_t>);
static_assert(names<cuda::std::atomic_intptr_t, std::intptr_t> && names<cuda::std::atomic_uintptr_t, std::uintptr_t>);
static_assert(names<cuda::std::atomic_size_t, std::size_t> && names<cuda::std::atomic_ptrdiff_t, std::ptrdiff_t>);
static_assert(names<cuda::std::atomic_intmax_t, std::intmax_t> && names<cuda::std::atomic_uintmax_t, std::uintmax_t>);
static_assert(names<cuda::std::atomic_signed_lock_free, int> &&
              names<cuda::std::atomic_unsigned_lock_free, unsigned int>);
