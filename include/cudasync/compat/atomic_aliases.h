// cuda::std::atomic_int and the other aliases of the C++ standard, and the names of atomics that CCCL's headers use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_ATOMIC_ALIASES_H
#define CUDASYNC_COMPAT_ATOMIC_ALIASES_H

#include <cudasync/atomic.h>
#include <cudasync/compat/vocabulary.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/thread/time.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace compat {
namespace vocabulary {  // whose names vocabulary.h makes visible in cuda::std

using standard::atomic;

// clang-format off

// An atomic object of a bool, at system scope.
using atomic_bool = atomic<bool>;
// An atomic object of a char, at system scope.
using atomic_char = atomic<char>;
// An atomic object of a signed char, at system scope.
using atomic_schar = atomic<signed char>;
// An atomic object of an unsigned char, at system scope.
using atomic_uchar = atomic<unsigned char>;
// An atomic object of a short, at system scope.
using atomic_short = atomic<short>;
// An atomic object of an unsigned short, at system scope.
using atomic_ushort = atomic<unsigned short>;
// An atomic object of an int, at system scope.
using atomic_int = atomic<int>;
// An atomic object of an unsigned int, at system scope.
using atomic_uint = atomic<unsigned int>;
// An atomic object of a long, at system scope.
using atomic_long = atomic<long>;
// An atomic object of an unsigned long, at system scope.
using atomic_ulong = atomic<unsigned long>;
// An atomic object of a long long, at system scope.
using atomic_llong = atomic<long long>;
// An atomic object of an unsigned long long, at system scope.
using atomic_ullong = atomic<unsigned long long>;
// An atomic object of a char16_t, at system scope.
using atomic_char16_t = atomic<char16_t>;
// An atomic object of a char32_t, at system scope.
using atomic_char32_t = atomic<char32_t>;
// An atomic object of a wchar_t, at system scope.
using atomic_wchar_t = atomic<wchar_t>;
#if defined(__cpp_char8_t)
// An atomic object of a char8_t, at system scope.
using atomic_char8_t = atomic<char8_t>;
#endif
// An atomic object of a signed integer of 8 bits, at system scope.
using atomic_int8_t = atomic<int8>;
// An atomic object of an unsigned integer of 8 bits, at system scope.
using atomic_uint8_t = atomic<uint8>;
// An atomic object of a signed integer of 16 bits, at system scope.
using atomic_int16_t = atomic<int16>;
// An atomic object of an unsigned integer of 16 bits, at system scope.
using atomic_uint16_t = atomic<uint16>;
// An atomic object of a signed integer of 32 bits, at system scope.
using atomic_int32_t = atomic<int32>;
// An atomic object of an unsigned integer of 32 bits, at system scope.
using atomic_uint32_t = atomic<uint32>;
// An atomic object of a signed integer of 64 bits, at system scope.
using atomic_int64_t = atomic<int64>;
// An atomic object of an unsigned integer of 64 bits, at system scope.
using atomic_uint64_t = atomic<uint64>;
// An atomic object of the smallest signed integer with at least 8 bits, at system scope.
using atomic_int_least8_t = atomic<int8>;
// An atomic object of the smallest unsigned integer with at least 8 bits, at system scope.
using atomic_uint_least8_t = atomic<uint8>;
// An atomic object of the smallest signed integer with at least 16 bits, at system scope.
using atomic_int_least16_t = atomic<int16>;
// An atomic object of the smallest unsigned integer with at least 16 bits, at system scope.
using atomic_uint_least16_t = atomic<uint16>;
// An atomic object of the smallest signed integer with at least 32 bits, at system scope.
using atomic_int_least32_t = atomic<int32>;
// An atomic object of the smallest unsigned integer with at least 32 bits, at system scope.
using atomic_uint_least32_t = atomic<uint32>;
// An atomic object of the smallest signed integer with at least 64 bits, at system scope.
using atomic_int_least64_t = atomic<int64>;
// An atomic object of the smallest unsigned integer with at least 64 bits, at system scope.
using atomic_uint_least64_t = atomic<uint64>;
#if defined(__INT_FAST16_TYPE__)
// An atomic object of the fastest signed integer with at least 8 bits, at system scope.
using atomic_int_fast8_t = atomic<__INT_FAST8_TYPE__>;
// An atomic object of the fastest unsigned integer with at least 8 bits, at system scope.
using atomic_uint_fast8_t = atomic<__UINT_FAST8_TYPE__>;
// An atomic object of the fastest signed integer with at least 16 bits, at system scope.
using atomic_int_fast16_t = atomic<__INT_FAST16_TYPE__>;
// An atomic object of the fastest unsigned integer with at least 16 bits, at system scope.
using atomic_uint_fast16_t = atomic<__UINT_FAST16_TYPE__>;
// An atomic object of the fastest signed integer with at least 32 bits, at system scope.
using atomic_int_fast32_t = atomic<__INT_FAST32_TYPE__>;
// An atomic object of the fastest unsigned integer with at least 32 bits, at system scope.
using atomic_uint_fast32_t = atomic<__UINT_FAST32_TYPE__>;
// An atomic object of the fastest signed integer with at least 64 bits, at system scope.
using atomic_int_fast64_t = atomic<__INT_FAST64_TYPE__>;
// An atomic object of the fastest unsigned integer with at least 64 bits, at system scope.
using atomic_uint_fast64_t = atomic<__UINT_FAST64_TYPE__>;
#endif
// An atomic object of a signed integer that can hold a pointer, at system scope.
using atomic_intptr_t = atomic<ptrdiff_t>;
// An atomic object of an unsigned integer that can hold a pointer, at system scope.
using atomic_uintptr_t = atomic<uintptr>;
// An atomic object of type size_t, at system scope.
using atomic_size_t = atomic<size_t>;
// An atomic object of type ptrdiff_t, at system scope.
using atomic_ptrdiff_t = atomic<ptrdiff_t>;
// An atomic object of the largest signed integer, at system scope.
using atomic_intmax_t = atomic<int64>;
// An atomic object of the largest unsigned integer, at system scope.
using atomic_uintmax_t = atomic<uint64>;
// An atomic object of a signed integer whose accesses are lock-free and whose waits are efficient, at system scope.
using atomic_signed_lock_free = atomic<int>;
// An atomic object of an unsigned integer whose accesses are lock-free and whose waits are efficient, at system scope.
using atomic_unsigned_lock_free = atomic<unsigned int>;
// clang-format on

}  // namespace vocabulary
}  // namespace compat
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

// CCCL's own latch and semaphore use these names of its <cuda/std/atomic>.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace compat {

CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition>
CUDASYNC_API bool poll(Condition& condition, uint64 limit) {
  constexpr target::here here{};
  const uint64 start = limit == backend::forever ? 0 : backend::now(here);
  while (!condition()) {
    if (limit != backend::forever && backend::now(here) - start >= limit) return false;
    backend::yield(here);
  }
  return true;
}

}  // namespace compat
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

namespace cuda {
namespace std {
inline namespace __4 {

template <class Value, cudasync::thread_scope Scope = cudasync::thread_scope_system>
using __atomic_impl = cudasync::atomic<Value, Scope>;

// Blocks until the condition is true.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition>
CUDASYNC_API bool __cccl_thread_poll_with_backoff(Condition&& condition) {
  return cudasync::compat::poll(condition, cudasync::backend::forever);
}
// A limit of zero means no limit.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition, class Duration>
CUDASYNC_API bool __cccl_thread_poll_with_backoff(Condition&& condition, const Duration& limit) {
  const cudasync::uint64 nanoseconds = cudasync::backend::to_nanoseconds(limit);
  return cudasync::compat::poll(condition, nanoseconds == 0 ? cudasync::backend::forever : nanoseconds);
}
// The name of this function in CCCL 2.8.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition, class Duration>
CUDASYNC_API bool __libcpp_thread_poll_with_backoff(Condition&& condition, const Duration& limit) {
  return __cccl_thread_poll_with_backoff(condition, limit);
}

}  // namespace __4
}  // namespace std
}  // namespace cuda

#endif
