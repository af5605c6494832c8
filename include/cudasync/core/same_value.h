// Comparison of values by the bytes of their members, without the padding if the compiler shows where it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_SAME_VALUE_H
#define CUDASYNC_CORE_SAME_VALUE_H

#include <cudasync/core/bits.h>
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

// --- Where the padding is ---

// A type is converted from bytes that are not 0, and back. Padding is lost on the way: such a byte is then 0, or
// reading it is not a constant expression. No byte can be read if the type has a pointer, a union or a bit-field, or is
// large.
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

// Whether values of the type can be equal although their bytes differ. Numbers and pointers have no padding, except
// long double on x86.
template <class Value, bool MayHave = !__has_unique_object_representations(Value) && !is_float<Value>>
inline constexpr bool has_padding = false;
template <class Value>
inline constexpr bool has_padding<Value, true> = has_clear_padding || count_value_bytes<Value>() != sizeof(Value);

// Whether it is known where the padding is.
template <class Value, bool HasPadding = has_padding<Value>>
inline constexpr bool knows_padding = true;
template <class Value>
inline constexpr bool knows_padding<Value, true> = has_clear_padding || count_value_bytes<Value>() != 0;

// --- Comparisons ---

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

// Whether the bytes of two values are the same, in all members.
template <class Value>
[[nodiscard]] CUDASYNC_API bool is_same_representation(const word_of<Value>& left, const word_of<Value>& right) {
  if constexpr (has_padding<Value>) {
    constexpr target::here here{};
    return left == right || without_padding<Value>(here, left) == without_padding<Value>(here, right);
  } else {
    return left == right;
  }
}

template <class Value, class = bool>
inline constexpr bool has_equality = false;
template <class Value>
inline constexpr bool
    has_equality<Value, decltype(static_cast<bool>(declval<const Value&>() == declval<const Value&>()))> = true;

// Separate functions for device and host: in one function for both, nvcc treats a host-only operator== as true in a
// kernel, without a diagnostic.
#if CUDASYNC_CUDA
template <class Value>
[[nodiscard]] CUDASYNC_DEVICE bool is_equal(target::sm70, const Value& left, const Value& right) {
  return static_cast<bool>(left == right);
}
#endif
#if CUDASYNC_HAS_HOST
template <class Value>
[[nodiscard]] inline bool is_equal(target::host, const Value& left, const Value& right) {
  return static_cast<bool>(left == right);
}
#endif

// Whether two values are the same, or equal if the type has an operator== and one value can have different bytes.
// Atomics of a size that is not a word's compare values in this way.
template <class Value>
[[nodiscard]] CUDASYNC_API bool is_same_value(const Value& left, const Value& right) {
  if (is_same_representation<Value>(to_bits<word_of<Value>>(left), to_bits<word_of<Value>>(right))) return true;
  if constexpr (has_equality<Value> && !__has_unique_object_representations(Value))
    return is_equal(target::here{}, left, right);
  else
    return false;
}

}}  // namespace cudasync::CUDASYNC_ABI

#undef CUDASYNC_HAS_BIT_CAST
#undef CUDASYNC_HAS_CLEAR_PADDING

#endif
