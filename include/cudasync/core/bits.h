// Values as words of bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_BITS_H
#define CUDASYNC_CORE_BITS_H

#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

struct alignas(16) uint128 {
  uint64 low;
  uint64 high;
};
[[nodiscard]] CUDASYNC_API constexpr bool operator==(uint128 left, uint128 right) {
  return left.low == right.low && left.high == right.high;
}

template <size_t Size>
struct word_of_size {};
template <>
struct word_of_size<1> {
  using type = uint8;
};
template <>
struct word_of_size<2> {
  using type = uint16;
};
template <>
struct word_of_size<4> {
  using type = uint32;
};
template <>
struct word_of_size<8> {
  using type = uint64;
};
template <>
struct word_of_size<16> {
  using type = uint128;
};
template <class Value>
using word_of = typename word_of_size<sizeof(Value)>::type;

CUDASYNC_API void copy_bytes(void* to, const void* from, size_t size) {
#if CUDASYNC_HAS_HOST
  __builtin_memcpy(to, from, size);
#else
  memcpy(to, from, size);
#endif
}

// The bytes of a value as a word: with zeros behind them if it is wider (the machines are little-endian).
template <class Word, class Value>
[[nodiscard]] CUDASYNC_API Word to_bits(const Value& value) {
  static_assert(sizeof(Value) <= sizeof(Word), "the word is too small for the value: ask for word_of<Value>");
  Word word{};
  copy_bytes(&word, &value, sizeof(Value));
  return word;
}

// Room for a value that need not be default constructible.
template <class Value>
union uninitialized {
  CUDASYNC_API uninitialized() : nothing() {}

  char nothing;
  Value value;
};

// And back, from the first bytes.
template <class Value, class Word>
[[nodiscard]] CUDASYNC_API Value from_bits(const Word& word) {
  uninitialized<Value> result;
  copy_bytes(&result.value, &word, sizeof(Value));
  return result.value;
}

// Whether two values have the same bytes: what compare-exchange and wait mean by equal.
template <class Value>
[[nodiscard]] CUDASYNC_API bool is_same_bits(const Value& left, const Value& right) {
  return to_bits<word_of<Value>>(left) == to_bits<word_of<Value>>(right);
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
