// The kind of number that a type is: integer, floating point, half precision, bfloat16 or pointer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_NUMBER_KIND_H
#define CUDASYNC_CORE_NUMBER_KIND_H

#include <cudasync/core/integers.h>

// Types of <cuda_fp16.h> and <cuda_bf16.h>, which only programs that use these types include.
struct __half;
struct __nv_bfloat16;

namespace cudasync { inline namespace CUDASYNC_ABI {

enum class number_kind { none, integer, floating, half, bfloat, pointer };

template <class Type>
inline constexpr number_kind kind_of = number_kind::none;
template <class Type>
inline constexpr number_kind kind_of<Type*> = number_kind::pointer;

// clang-format off
template <> inline constexpr number_kind kind_of<char> = number_kind::integer;
template <> inline constexpr number_kind kind_of<signed char> = number_kind::integer;
template <> inline constexpr number_kind kind_of<unsigned char> = number_kind::integer;
template <> inline constexpr number_kind kind_of<wchar_t> = number_kind::integer;
template <> inline constexpr number_kind kind_of<char16_t> = number_kind::integer;
template <> inline constexpr number_kind kind_of<char32_t> = number_kind::integer;
#if defined(__cpp_char8_t)
template <> inline constexpr number_kind kind_of<char8_t> = number_kind::integer;
#endif
template <> inline constexpr number_kind kind_of<short> = number_kind::integer;
template <> inline constexpr number_kind kind_of<unsigned short> = number_kind::integer;
template <> inline constexpr number_kind kind_of<int> = number_kind::integer;
template <> inline constexpr number_kind kind_of<unsigned int> = number_kind::integer;
template <> inline constexpr number_kind kind_of<long> = number_kind::integer;
template <> inline constexpr number_kind kind_of<unsigned long> = number_kind::integer;
template <> inline constexpr number_kind kind_of<long long> = number_kind::integer;
template <> inline constexpr number_kind kind_of<unsigned long long> = number_kind::integer;
#if defined(__SIZEOF_INT128__)
template <> inline constexpr number_kind kind_of<wide_int> = number_kind::integer;
template <> inline constexpr number_kind kind_of<wide_uint> = number_kind::integer;
#endif
template <> inline constexpr number_kind kind_of<float> = number_kind::floating;
template <> inline constexpr number_kind kind_of<double> = number_kind::floating;
template <> inline constexpr number_kind kind_of<::__half> = number_kind::half;
template <> inline constexpr number_kind kind_of<::__nv_bfloat16> = number_kind::bfloat;
// clang-format on

template <class Type>
inline constexpr bool is_integer = kind_of<Type> == number_kind::integer;
template <class Type>
inline constexpr bool is_float = kind_of<Type> == number_kind::floating || kind_of<Type> == number_kind::half ||
                                 kind_of<Type> == number_kind::bfloat;
template <class Type, bool IsInteger = is_integer<Type>>
inline constexpr bool is_signed_integer = false;
template <class Type>
inline constexpr bool is_signed_integer<Type, true> = static_cast<Type>(-1) < static_cast<Type>(0);

template <class Type>
inline constexpr bool is_arithmetic = is_integer<Type> || kind_of<Type> == number_kind::floating;

}}  // namespace cudasync::CUDASYNC_ABI

#endif
