// Comparison of values by the bytes of their members, without the padding if the compiler shows where it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_SAME_VALUE_H
#define CUDASYNC_CORE_SAME_VALUE_H

#include <cudasync/core/bits.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

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

template <class Value>
using equality = decltype(static_cast<bool>(declval<const Value&>() == declval<const Value&>()));
template <class Value>
using less = decltype(static_cast<bool>(declval<const Value&>() < declval<const Value&>()));
template <class Value>
inline constexpr bool has_equality = is_valid<equality, Value>;

// Two functions each: in one for device and host, nvcc silently treats a host-only operator as true in a kernel.
#if CUDASYNC_CUDA
template <class Value>
[[nodiscard]] CUDASYNC_DEVICE bool is_equal(target::sm70, const Value& left, const Value& right) {
  return static_cast<bool>(left == right);
}
template <class Value>
[[nodiscard]] CUDASYNC_DEVICE bool is_less(target::sm70, const Value& left, const Value& right) {
  return static_cast<bool>(left < right);
}
#endif
#if CUDASYNC_HAS_HOST
template <class Value>
[[nodiscard]] inline bool is_equal(target::host, const Value& left, const Value& right) {
  return static_cast<bool>(left == right);
}
template <class Value>
[[nodiscard]] inline bool is_less(target::host, const Value& left, const Value& right) {
  return static_cast<bool>(left < right);
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

#endif
