// A count that goes down to zero once: a latch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_COUNTDOWN_H
#define CUDASYNC_BACKEND_PHASE_COUNTDOWN_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/watch.h>
#include <cudasync/thread/time.h>

// Ordering: all changes are release read-modify-writes, so the value zero is in the release sequence of each of them.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The count has 32 bits: a 64-bit addition is slower, and a loop in shared memory. The size is that of libcu++'s latch.
template <thread_scope Scope>
struct alignas(8) countdown {
  countdown() = default;
  CUDASYNC_API constexpr explicit countdown(uint32 expected) : count(expected) {}

  uint32 count;
};

struct count_is_zero {
  static constexpr checked::kind what = checked::kind::latch;
  CUDASYNC_API uint64 missing() const { return last; }

  uint32 last;

  CUDASYNC_API bool operator()(uint32 count) {
    last = count;
    return count == 0;
  }
};

template <thread_scope Scope>
CUDASYNC_API void count_down(target::any, countdown<Scope>& latch, uint32 update,
                             [[maybe_unused]] caller where = caller::here()) {
  constexpr target::here here{};
  [[maybe_unused]] const bool is_early = checked::is_early(here, &latch);
  const uint32 before = fetch<Scope, 4, operation::add>(here, latch.count, 0 - update, of_change(here));
  CUDASYNC_ASSERT(before >= update, checked::excess_at_latch(is_early, before));
  if (before == update) notify_after_change(here, &latch.count);
}

// The old count is not needed, so this is a RED, which the compiler combines for a warp.
#if CUDASYNC_CUDA && !CUDASYNC_CHECKED
template <thread_scope Scope>
CUDASYNC_DEVICE void count_down(target::sm70, countdown<Scope>& latch, uint32 number, caller = caller::here()) {
  update<Scope, 4, operation::add>(target::here{}, latch.count, 0 - number, memory_order_release_t{});
}
#endif

template <thread_scope Scope>
[[nodiscard]] CUDASYNC_API bool is_zero(target::any, const countdown<Scope>& latch) {
  return load<Scope>(target::here{}, latch.count, memory_order_acquire_t{}) == 0;
}

template <thread_scope Scope>
CUDASYNC_API bool await_zero(target::any, const countdown<Scope>& latch, uint64 limit) {
  count_is_zero condition{};
  return await_value<Scope>(target::here{}, latch.count, condition, memory_order_acquire_t{}, limit);
}

// After an immediate read, threads that count down at about the same time would need another round trip to L2.
template <thread_scope Scope>
CUDASYNC_API void let_others_count_down(target::any) {}
#if CUDASYNC_CUDA
template <thread_scope Scope>
CUDASYNC_DEVICE void let_others_count_down(target::sm70) {
  if constexpr (Scope == thread_scope_block || Scope == thread_scope_cluster) return;
  __nanosleep(20);
  __nanosleep(20);
}
#endif

template <thread_scope Scope>
CUDASYNC_API void count_down_and_wait(target::any, countdown<Scope>& latch, uint32 update,
                                      caller where = caller::here()) {
  count_down(target::here{}, latch, update, where);
  let_others_count_down<Scope>(target::here{});
  static_cast<void>(await_zero(target::here{}, latch, forever));
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
