// The formats of a tensor map: element types, swizzles, layouts, and what is loaded beyond the tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_TENSOR_FORMAT_H
#define CUDASYNC_CORE_TENSOR_FORMAT_H

#include <cudasync/core/integers.h>
#include <cudasync/core/number_kind.h>
#include <cudasync/core/traits.h>

// The enumerators have the values of the driver's enumerations in <cuda.h>, which this header does not include.
namespace cudasync { inline namespace CUDASYNC_ABI {

// Names as in PTX. 16 packed numbers have 4 or 6 bits each; _p64 and _p32 pad them by as many in shared memory.
enum class tensor_element : uint32 {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  b4x16,
  b4x16_p64,
  b6x16_p32
};

enum class tma_interleave_layout : uint32 { none, bytes16, bytes32 };

enum class tma_swizzle : uint32 {
  none,
  bytes32,
  bytes64,
  bytes128,
  bytes128_atom_32B,
  bytes128_atom_32B_flip_8B,
  bytes128_atom_64B
};

enum class tma_l2_fetch_size : uint32 { none, bytes64, bytes128, bytes256 };

enum class tma_oob_fill : uint32 { none, nan };

// The bits of an element in global memory.
[[nodiscard]] CUDASYNC_API constexpr uint32 bits_of(tensor_element element) {
  switch (element) {
  case tensor_element::b4x16:
  case tensor_element::b4x16_p64:
    return 4;
  case tensor_element::b6x16_p32:
    return 6;
  case tensor_element::u8:
    return 8;
  case tensor_element::u16:
  case tensor_element::f16:
  case tensor_element::bf16:
    return 16;
  case tensor_element::u64:
  case tensor_element::s64:
  case tensor_element::f64:
    return 64;
  default:
    return 32;
  }
}

// Whether a group of packed numbers is padded to 16 bytes in shared memory.
[[nodiscard]] CUDASYNC_API constexpr bool is_padded(tensor_element element) {
  return element == tensor_element::b4x16_p64 || element == tensor_element::b6x16_p32;
}

[[nodiscard]] CUDASYNC_API constexpr bool is_packed(tensor_element element) {
  return bits_of(element) < 8;
}

[[nodiscard]] CUDASYNC_API constexpr bool is_floating(tensor_element element) {
  return element >= tensor_element::f16 && element <= tensor_element::tf32_ftz;
}

// Whether a tensor can have elements of the type. Signed integers of 8 and 16 bits are copied as unsigned ones.
template <class Type, bool IsInteger = is_integer<Type>>
inline constexpr bool is_tensor_element = is_float<Type> || is_same<Type, bool>;
template <class Type>
inline constexpr bool is_tensor_element<Type, true> = sizeof(Type) <= 8;

template <class Type>
[[nodiscard]] CUDASYNC_API constexpr tensor_element element_of() {
  if constexpr (kind_of<Type> == number_kind::half)
    return tensor_element::f16;
  else if constexpr (kind_of<Type> == number_kind::bfloat)
    return tensor_element::bf16;
  else if constexpr (kind_of<Type> == number_kind::floating)
    return sizeof(Type) == 4 ? tensor_element::f32 : tensor_element::f64;
  else if constexpr (sizeof(Type) == 8)
    return is_signed_integer<Type> ? tensor_element::s64 : tensor_element::u64;
  else if constexpr (sizeof(Type) == 4)
    return is_signed_integer<Type> ? tensor_element::s32 : tensor_element::u32;
  else
    return sizeof(Type) == 2 ? tensor_element::u16 : tensor_element::u8;
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif
