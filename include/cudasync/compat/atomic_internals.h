// Names of CCCL's <cuda/std/atomic> by which its latch and semaphore stand on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_ATOMIC_INTERNALS_H
#define CUDASYNC_COMPAT_ATOMIC_INTERNALS_H

#include <cudasync/atomic.h>
#include <cudasync/backend/time.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

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

CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition>
CUDASYNC_API bool __cccl_thread_poll_with_backoff(Condition&& condition) {
  return cudasync::compat::poll(condition, cudasync::backend::forever);
}
// A limit of zero is none.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition, class Duration>
CUDASYNC_API bool __cccl_thread_poll_with_backoff(Condition&& condition, const Duration& limit) {
  const cudasync::uint64 nanoseconds = cudasync::backend::to_nanoseconds(limit);
  return cudasync::compat::poll(condition, nanoseconds == 0 ? cudasync::backend::forever : nanoseconds);
}
// Its name in 2.8.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Condition, class Duration>
CUDASYNC_API bool __libcpp_thread_poll_with_backoff(Condition&& condition, const Duration& limit) {
  return __cccl_thread_poll_with_backoff(condition, limit);
}

}  // namespace __4
}  // namespace std
}  // namespace cuda

#endif
