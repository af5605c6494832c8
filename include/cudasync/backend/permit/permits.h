// The permits of a semaphore: one word, which also keeps the order of the waiting threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PERMIT_PERMITS_H
#define CUDASYNC_BACKEND_PERMIT_PERMITS_H

// There are two types of permits: permit_flag for at most one permit, and permit_queue for up to 2^31 - 1. They are
// written once for all targets. Each type Permits provides:
//   Permits::most_permits                   the largest number of permits
//   acquire_permit(here, permits)           takes a permit; blocks until it is this thread's turn; acquires
//   try_acquire_permit(here, permits)       takes a permit if there is one; returns whether it did; acquires if it did
//   release_permits(here, permits, count)   adds permits; releases
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/permit/permit_flag.h>
#include <cudasync/backend/permit/permit_queue.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <thread_scope Scope, ptrdiff_t LeastMaxValue>
struct permits_type {
  using type = permit_queue<Scope>;
};
template <thread_scope Scope>
struct permits_type<Scope, 1> {
  using type = permit_flag<Scope>;
};
template <thread_scope Scope, ptrdiff_t LeastMaxValue>
using permits_for = typename permits_type<Scope, LeastMaxValue>::type;

// Takes a permit as try_acquire_permit does, within limit nanoseconds. Returns whether it did.
template <thread_scope Scope, class Permits>
[[nodiscard]] CUDASYNC_API bool try_acquire_permit_for(target::any, Permits& permits, uint64 limit) {
  constexpr target::here here{};
  auto take = [&](auto) { return try_acquire_permit(here, permits); };
  return await_value<Scope>(here, permits.word, take, memory_order_relaxed_t{}, limit);
}
#if CUDASYNC_DEVICE_PASS
template <thread_scope Scope, class Permits>
[[nodiscard]] CUDASYNC_DEVICE bool try_acquire_permit_for(target::sm70 here, Permits& permits, uint64 limit) {
  return retry<Scope>(here, limit, [&] { return try_acquire_permit(target::here{}, permits); });
}
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
