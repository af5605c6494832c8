// The read-modify-write operations of atomics as types: each computes the new value from the old value and the operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_OPERATION_H
#define CUDASYNC_CORE_OPERATION_H

#include <cudasync/core/bits.h>
#include <cudasync/core/half.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/same_value.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace operation {

template <class Integer>
struct unsigned_of {
  using type = word_of<Integer>;
};
#if defined(__SIZEOF_INT128__)
template <>
struct unsigned_of<wide_int> {
  using type = wide_uint;
};
template <>
struct unsigned_of<wide_uint> {
  using type = wide_uint;
};
#endif

// Integers wrap around. For a pointer, the operand is a number of bytes.
struct add {
  template <class Value, class Operand>
  [[nodiscard]] static CUDASYNC_API Value apply(Value before, Operand operand) {
    if constexpr (kind_of<Value> == number_kind::floating) {
      return before + operand;
    } else if constexpr (kind_of<Value> == number_kind::half) {
      return from_bits<Value>(
          float_to_half(half_to_float(to_bits<uint16>(before)) + half_to_float(to_bits<uint16>(operand))));
    } else if constexpr (kind_of<Value> == number_kind::bfloat) {
      return from_bits<Value>(
          float_to_bfloat(bfloat_to_float(to_bits<uint16>(before)) + bfloat_to_float(to_bits<uint16>(operand))));
    } else if constexpr (kind_of<Value> == number_kind::pointer) {
      return reinterpret_cast<Value>(reinterpret_cast<uintptr>(before) + static_cast<uintptr>(operand));
    } else {
      using number = typename unsigned_of<Value>::type;
      return static_cast<Value>(static_cast<number>(before) + static_cast<number>(operand));
    }
  }
};

// Maps floating-point numbers to integers with the same order: -NaN < -infinity < ... < -0 < +0 < ... < infinity < NaN.
// Source: totalOrder of IEEE 754. Other values are returned unchanged.
template <class Value>
[[nodiscard]] CUDASYNC_API auto to_ordered(const Value& value) {
  if constexpr (is_float<Value>) {
    using ordered = conditional<sizeof(Value) == 2, int16, conditional<sizeof(Value) == 4, int32, int64>>;
    const auto bits = static_cast<ordered>(to_bits<word_of<Value>>(value));
    constexpr auto magnitude = static_cast<ordered>(static_cast<word_of<Value>>(~word_of<Value>{0}) >> 1);
    return static_cast<ordered>(bits < 0 ? bits ^ magnitude : bits);
  } else {
    return value;
  }
}

template <class Value>
inline constexpr bool has_order = kind_of<Value> != number_kind::none || is_valid<less, Value>;

struct min {
  template <class Value>
  [[nodiscard]] static CUDASYNC_API Value apply(Value before, Value operand) {
    return is_less(target::here{}, to_ordered(operand), to_ordered(before)) ? operand : before;
  }
};

struct max {
  template <class Value>
  [[nodiscard]] static CUDASYNC_API Value apply(Value before, Value operand) {
    return is_less(target::here{}, to_ordered(before), to_ordered(operand)) ? operand : before;
  }
};

#define CUDASYNC_BITWISE(NAME, OPERATOR)                                         \
  struct NAME {                                                                  \
    template <class Value>                                                       \
    [[nodiscard]] static CUDASYNC_API Value apply(Value before, Value operand) { \
      return static_cast<Value>(before OPERATOR operand);                        \
    }                                                                            \
  };
CUDASYNC_BITWISE(bit_and, &)
CUDASYNC_BITWISE(bit_or, |)
CUDASYNC_BITWISE(bit_xor, ^)
#undef CUDASYNC_BITWISE

struct exchange {
  template <class Value>
  [[nodiscard]] static CUDASYNC_API Value apply(Value, Value operand) {
    return operand;
  }
};

template <class Operation>
inline constexpr bool is_comparison = is_same<Operation, min> || is_same<Operation, max>;
template <class Operation>
inline constexpr bool is_bitwise =
    is_same<Operation, bit_and> || is_same<Operation, bit_or> || is_same<Operation, bit_xor>;

}}}  // namespace cudasync::CUDASYNC_ABI::operation

#endif
