// Values as words with the same bytes: conversion and copying.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_BITS_H
#define CUDASYNC_CORE_BITS_H

#include <cudasync/core/integers.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

struct alignas(16) uint128 {
  uint64 low;
  uint64 high;
};
[[nodiscard]] CUDASYNC_API constexpr bool operator==(uint128 left, uint128 right) {
  return left.low == right.low && left.high == right.high;
}

// A word of a size that no integer type has. It can only be copied and compared.
template <size_t Size>
struct word_block {
  uint32 parts[(Size + 3) / 4];

  CUDASYNC_API friend bool operator==(const word_block& left, const word_block& right) {
    uint32 difference = 0;
    for (size_t index = 0; index < sizeof left.parts / sizeof *left.parts; ++index)
      difference |= left.parts[index] ^ right.parts[index];
    return difference == 0;
  }
};

// clang-format off
template <size_t Size> struct word_of_size     { using type = word_block<Size>; };
template <>            struct word_of_size<1>  { using type = uint8; };
template <>            struct word_of_size<2>  { using type = uint16; };
template <>            struct word_of_size<4>  { using type = uint32; };
template <>            struct word_of_size<8>  { using type = uint64; };
template <>            struct word_of_size<16> { using type = uint128; };
// clang-format on
template <class Value>
using word_of = typename word_of_size<sizeof(Value)>::type;

#if CUDASYNC_HAS_HOST
CUDASYNC_API void copy_bytes(void* to, const void* from, size_t size) {
  __builtin_memcpy(to, from, size);
}
#else
CUDASYNC_API void copy_bytes(void* to, const void* from, size_t size) {
  memcpy(to, from, size);
}
#endif

// The address of an object, which the compiler then knows to be aligned for its type; otherwise it would copy byte by
// byte. The result is a void*, because cicc (13.0) fails on the built-in function with any other pointer type.
template <class Object>
[[nodiscard]] CUDASYNC_API void* aligned_address(Object& object) {
  void* const address = const_cast<remove_cv<Object>*>(__builtin_addressof(object));
  return __builtin_assume_aligned(address, alignof(Object));
}

// Whether a conversion preserves the bits. It takes compilers less time than a copy of bytes, and is shorter code.
template <class Value, class Word>
inline constexpr bool is_convertible_word =
    kind_of<Value> == number_kind::integer && kind_of<Word> == number_kind::integer && sizeof(Value) <= sizeof(Word);

// Returns the bytes of a value as a word. If the word is wider, zeros follow (all targets are little-endian). The bytes
// of a class are copied from the object itself, because a copy of its members may omit the padding. Other types are
// copied as values.
template <class Word, class Value>
[[nodiscard]] CUDASYNC_API Word to_bits(const Value& value) {
  static_assert(sizeof(Value) <= sizeof(Word), "the word is too small for the value: use word_of<Value>");
  if constexpr (is_convertible_word<Value, Word>) return static_cast<Word>(static_cast<word_of<Value>>(value));
  Word word{};
  if constexpr (has_members<Value>) {
    copy_bytes(&word, aligned_address(value), sizeof(Value));
  } else {
    const Value copy = value;
    copy_bytes(&word, &copy, sizeof(Value));
  }
  return word;
}

// Storage for a value whose type need not be default constructible.
template <class Value>
union uninitialized {
  CUDASYNC_API uninitialized() : nothing() {}

  char nothing;
  Value value;
};

// Returns the value whose bytes are the first bytes of a word. The padding may be lost.
template <class Value, class Word>
[[nodiscard]] CUDASYNC_API Value from_bits(const Word& word) {
  if constexpr (is_convertible_word<Value, Word>) return static_cast<Value>(word);
  uninitialized<Value> result;
  copy_bytes(&result.value, &word, sizeof(Value));
  return result.value;
}

// Copies the first bytes of a word to an object, including the padding.
template <class Value, class Word>
CUDASYNC_API void set_bits(Value& object, const Word& word) {
  if constexpr (has_members<Value>)
    copy_bytes(aligned_address(object), &word, sizeof(Value));
  else
    object = from_bits<Value>(word);
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
