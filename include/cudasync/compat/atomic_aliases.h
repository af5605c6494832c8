// cuda::std::atomic_int and the other names of atomics that the C++ standard lists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_ATOMIC_ALIASES_H
#define CUDASYNC_COMPAT_ATOMIC_ALIASES_H

#include <cudasync/atomic.h>
#include <cudasync/compat/atomic_internals.h>
#include <cudasync/core/integers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace compat {
namespace atomic_aliases {

using standard::atomic;

// clang-format off
using atomic_bool = atomic<bool>;
using atomic_char = atomic<char>;
using atomic_schar = atomic<signed char>;
using atomic_uchar = atomic<unsigned char>;
using atomic_short = atomic<short>;
using atomic_ushort = atomic<unsigned short>;
using atomic_int = atomic<int>;
using atomic_uint = atomic<unsigned int>;
using atomic_long = atomic<long>;
using atomic_ulong = atomic<unsigned long>;
using atomic_llong = atomic<long long>;
using atomic_ullong = atomic<unsigned long long>;
using atomic_char16_t = atomic<char16_t>;
using atomic_char32_t = atomic<char32_t>;
using atomic_wchar_t = atomic<wchar_t>;
#if defined(__cpp_char8_t)
using atomic_char8_t = atomic<char8_t>;
#endif
using atomic_int8_t = atomic<int8>;
using atomic_uint8_t = atomic<uint8>;
using atomic_int16_t = atomic<int16>;
using atomic_uint16_t = atomic<uint16>;
using atomic_int32_t = atomic<int32>;
using atomic_uint32_t = atomic<uint32>;
using atomic_int64_t = atomic<int64>;
using atomic_uint64_t = atomic<uint64>;
using atomic_int_least8_t = atomic<int8>;
using atomic_uint_least8_t = atomic<uint8>;
using atomic_int_least16_t = atomic<int16>;
using atomic_uint_least16_t = atomic<uint16>;
using atomic_int_least32_t = atomic<int32>;
using atomic_uint_least32_t = atomic<uint32>;
using atomic_int_least64_t = atomic<int64>;
using atomic_uint_least64_t = atomic<uint64>;
#if defined(__INT_FAST16_TYPE__)
using atomic_int_fast8_t = atomic<__INT_FAST8_TYPE__>;
using atomic_uint_fast8_t = atomic<__UINT_FAST8_TYPE__>;
using atomic_int_fast16_t = atomic<__INT_FAST16_TYPE__>;
using atomic_uint_fast16_t = atomic<__UINT_FAST16_TYPE__>;
using atomic_int_fast32_t = atomic<__INT_FAST32_TYPE__>;
using atomic_uint_fast32_t = atomic<__UINT_FAST32_TYPE__>;
using atomic_int_fast64_t = atomic<__INT_FAST64_TYPE__>;
using atomic_uint_fast64_t = atomic<__UINT_FAST64_TYPE__>;
#endif
using atomic_intptr_t = atomic<ptrdiff_t>;
using atomic_uintptr_t = atomic<uintptr>;
using atomic_size_t = atomic<size_t>;
using atomic_ptrdiff_t = atomic<ptrdiff_t>;
using atomic_intmax_t = atomic<int64>;
using atomic_uintmax_t = atomic<uint64>;
using atomic_signed_lock_free = atomic<int>;
using atomic_unsigned_lock_free = atomic<unsigned int>;
// clang-format on

}  // namespace atomic_aliases
}  // namespace compat
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

namespace cuda {
namespace std {
using namespace cudasync::compat::atomic_aliases;
}  // namespace std
}  // namespace cuda

#endif
