// Values as words with the same bytes: conversion and copying.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_BITS_H
#define CUDASYNC_CORE_BITS_H

#include <cudasync/core/integers.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

// 1 if the compiler has these built-in functions, which show where a type has padding.
#define CUDASYNC_HAS_BIT_CAST 0
#define CUDASYNC_HAS_CLEAR_PADDING 0
#if defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
#undef CUDASYNC_HAS_BIT_CAST
#define CUDASYNC_HAS_BIT_CAST 1
#endif
#if CUDASYNC_HAS_HOST && __has_builtin(__builtin_clear_padding)
#undef CUDASYNC_HAS_CLEAR_PADDING
#define CUDASYNC_HAS_CLEAR_PADDING 1
#endif
#endif

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

// A word in the place of another object. g++ and clang reorder accesses by a word itself, as if to others.
template <class Word>
struct __attribute__((may_alias)) alias {
  Word word;
};

#if CUDASYNC_HAS_HOST
CUDASYNC_API void copy_bytes(void* to, const void* from, size_t size) {
  __builtin_memcpy(to, from, size);
}
#else
CUDASYNC_API void copy_bytes(void* to, const void* from, size_t size) {
  memcpy(to, from, size);
}
#endif

// --- Where the padding is ---

// A type is converted from bytes that are not 0, and back. Padding is lost on the way: such a byte is then 0, or
// reading it is not a constant expression. None can be read if a type is large or has pointers, unions or bit-fields.
template <class Value>
struct byte_array {
  unsigned char bytes[sizeof(Value)];
};
template <class Value>
[[nodiscard]] CUDASYNC_API constexpr byte_array<Value> bytes_of_ones() {
  byte_array<Value> result{};
  for (unsigned char& each : result.bytes)
    each = 1;
  return result;
}

template <int>
struct if_constant {};
template <class Value, size_t Index, class = if_constant<0>>
inline constexpr bool is_value_byte = false;
template <class Byte, class = if_constant<0>>
inline constexpr bool has_constant_bits = false;
#if CUDASYNC_HAS_BIT_CAST
template <class Value, size_t Index>
inline constexpr bool
    is_value_byte<Value, Index,
                  if_constant<(__builtin_bit_cast(byte_array<Value>, __builtin_bit_cast(Value, bytes_of_ones<Value>()))
                                   .bytes[Index] != 0) -
                              1>> = true;
// Whether a bit-field can be read so. Then a byte with padding of a few bits would look like padding.
struct byte_with_bit {
  unsigned char bit : 1;
};
template <class Byte>
inline constexpr bool has_constant_bits<Byte, if_constant<__builtin_bit_cast(Byte, bytes_of_ones<Byte>()).bit * 0>> =
    true;
#else
struct byte_with_bit;
#endif

// The number of bytes of members from Begin to End. In halves, so that the depth of templates is small.
template <class Value, size_t Begin = 0, size_t End = sizeof(Value)>
[[nodiscard]] CUDASYNC_API constexpr size_t count_value_bytes() {
  if constexpr (sizeof(Value) > 128 || has_constant_bits<byte_with_bit>) {
    return 0;
  } else if constexpr (End - Begin == 1) {
    return is_value_byte<Value, Begin> ? 1 : 0;
  } else {
    constexpr size_t middle = Begin + (End - Begin) / 2;
    return count_value_bytes<Value, Begin, middle>() + count_value_bytes<Value, middle, End>();
  }
}
template <class Value, size_t Begin = 0, size_t End = sizeof(Value)>
CUDASYNC_API void clear_padding_bytes(unsigned char* bytes) {
  constexpr size_t count = count_value_bytes<Value, Begin, End>();
  if constexpr (count == 0) {
    for (size_t index = Begin; index < End; ++index)
      bytes[index] = 0;
  } else if constexpr (count != End - Begin) {
    constexpr size_t middle = Begin + (End - Begin) / 2;
    clear_padding_bytes<Value, Begin, middle>(bytes);
    clear_padding_bytes<Value, middle, End>(bytes);
  }
}

// The compiler's own function knows the padding of all types. It exists only for host code.
enum : bool { has_clear_padding = CUDASYNC_HAS_CLEAR_PADDING && is_same<target::here, target::host> };

// Whether equal values of the type can differ in bytes. Numbers and pointers have no padding, but long double on x86.
template <class Value, bool MayHave = !__has_unique_object_representations(Value) && !is_float<Value>>
inline constexpr bool has_padding = false;
template <class Value>
inline constexpr bool has_padding<Value, true> = has_clear_padding || count_value_bytes<Value>() != sizeof(Value);

// Whether it is known where the padding is.
template <class Value, bool HasPadding = has_padding<Value>>
inline constexpr bool knows_padding = true;
template <class Value>
inline constexpr bool knows_padding<Value, true> = has_clear_padding || count_value_bytes<Value>() != 0;

// --- Conversion ---

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

// Returns the bytes of a value as a word. If the word is wider, zeros follow (all targets are little-endian). If there
// is padding, which a copy of the value may omit, it copies the object itself, which compilers then keep in memory.
template <class Word, class Value>
[[nodiscard]] CUDASYNC_API Word to_bits(const Value& value) {
  static_assert(sizeof(Value) <= sizeof(Word), "the word is too small: use word_of<Value>");
  if constexpr (is_convertible_word<Value, Word>) {
    return static_cast<Word>(static_cast<word_of<Value>>(value));
  } else {
    Word word{};
    if constexpr (has_padding<Value>) {
      copy_bytes(&word, aligned_address(value), sizeof(Value));
    } else {
      const Value copy = value;
      copy_bytes(&word, &copy, sizeof(Value));
    }
    return word;
  }
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
  if constexpr (is_convertible_word<Value, Word>) {
    return static_cast<Value>(word);
  } else {
    uninitialized<Value> result;
    copy_bytes(&result.value, &word, sizeof(Value));
    return result.value;
  }
}

// Copies the first bytes of a word to an object, including the padding.
template <class Value, class Word>
CUDASYNC_API void set_bits(Value& object, const Word& word) {
  if constexpr (has_padding<Value>)
    copy_bytes(aligned_address(object), &word, sizeof(Value));
  else
    object = from_bits<Value>(word);
}

template <class Value>
[[nodiscard]] CUDASYNC_API word_of<Value> without_padding(target::any, word_of<Value> bits) {
  if constexpr (has_padding<Value> && knows_padding<Value>)
    clear_padding_bytes<Value>(reinterpret_cast<unsigned char*>(&bits));
  return bits;
}
#if CUDASYNC_HAS_CLEAR_PADDING
template <class Value>
[[nodiscard]] inline word_of<Value> without_padding(target::host, word_of<Value> bits) {
  uninitialized<Value> result;
  copy_bytes(&result.value, &bits, sizeof(Value));
  __builtin_clear_padding(&result.value);
  copy_bytes(&bits, &result.value, sizeof(Value));
  return bits;
}
#endif

}}  // namespace cudasync::CUDASYNC_ABI

#undef CUDASYNC_HAS_BIT_CAST
#undef CUDASYNC_HAS_CLEAR_PADDING

#endif
