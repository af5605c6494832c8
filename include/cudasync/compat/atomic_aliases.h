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

namespace cudasync { inline namespace CUDASYNC_ABI { namespace compat {
namespace vocabulary {  // whose names vocabulary.h makes visible in cuda::std

using standard::atomic;

// Atomic objects of these types, at system scope.
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

// Accesses are lock-free, and waits are efficient.
using atomic_signed_lock_free = atomic<int>;
using atomic_unsigned_lock_free = atomic<unsigned int>;

}  // namespace vocabulary

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

}}}  // namespace cudasync::CUDASYNC_ABI::compat

// CCCL's own latch and semaphore use these names of its <cuda/std/atomic>.
namespace cuda::std { inline namespace __4 {

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
  return cudasync::compat::poll(condition, limit.count() == 0 ? cudasync::backend::forever : nanoseconds);
}
// The name of this function in CCCL 2.8.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition, class Duration>
CUDASYNC_API bool __libcpp_thread_poll_with_backoff(Condition&& condition, const Duration& limit) {
  return __cccl_thread_poll_with_backoff(condition, limit);
}

}}  // namespace cuda::std::__4

#endif
