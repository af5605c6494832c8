// The permits of a counting semaphore, as one word that also keeps the order of the waiting threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PERMIT_PERMIT_QUEUE_H
#define CUDASYNC_BACKEND_PERMIT_PERMIT_QUEUE_H

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

// Let R be the number of permits released so far, including the initial permits, modulo 2^32. Let A be the number of
// available permits minus the number of waiting threads, as a signed 32-bit number. The word is R * 2^32 + A. So taking
// a permit, or a place in the queue, is one addition of -1, and a release of n permits is one addition of n * 2^32 + n.
// A fits in its 32 bits: there are at most 2^31 - 1 permits, and fewer than 2^24 waiting threads.
//
// R - A is the number of threads that came before: the ticket. A thread that finds A <= 0 waits until R is greater than
// its ticket. Then it has a permit, without another operation. So threads are served in the order in which they came.
// On the host, a thread first tries for a while to take a permit without the queue (time_before_queue).
//
// Ordering: releases are release read-modify-writes, and only read-modify-writes change the word. So each of its values
// is in the release sequence of every release before it, and a thread that takes a permit acquires what it read.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

[[nodiscard]] CUDASYNC_API constexpr int32 available_permits(uint64 word) {
  return static_cast<int32>(static_cast<uint32>(word));
}
[[nodiscard]] CUDASYNC_API constexpr uint32 released_permits(uint64 word) {
  return static_cast<uint32>(word >> 32) + (static_cast<uint32>(word) >> 31);  // a negative A borrows one
}
[[nodiscard]] CUDASYNC_API constexpr uint64 permits(ptrdiff_t count) {
  return static_cast<uint64>(count) << 32 | static_cast<uint64>(count);
}

// Whether the permit of a ticket has been released: R is greater than the ticket. A thread may look very late.
struct ticket_is_served {
  static constexpr checked::kind what = checked::kind::semaphore;
  CUDASYNC_API uint64 missing() const {
    return checked::queue_for_permit{released_permits(last), static_cast<uint32>(0 - available_permits(last))}.packed();
  }

  uint32 ticket;
  uint64 last;

  CUDASYNC_API bool operator()(uint64 word) {
    last = word;
    return ticket - released_permits(word) >= uint32{1} << 24;
  }
};

template <thread_scope Scope>
struct permit_queue {
  static constexpr ptrdiff_t most_permits = 0x7fffffff;

  permit_queue() = default;
  CUDASYNC_API constexpr explicit permit_queue(ptrdiff_t count) : word(permits(count)) {}

  alignas(8) uint64 word;
};

// While threads wait there is no permit: each belongs to one of them from its release on.
template <thread_scope Scope>
[[nodiscard]] CUDASYNC_API bool try_acquire_permit(target::any, permit_queue<Scope>& queue) {
  constexpr target::here here{};
  uint64 found = load<Scope>(here, queue.word, memory_order_relaxed_t{});
  while (available_permits(found) > 0)
    if (compare_exchange<Scope, 8>(here, queue.word, found, found - 1, memory_order_acquire_t{})) return true;
  return false;
}

// On a GPU, R can change before each compare-exchange of the whole word arrives. A alone has the same values again and
// again, unless the others only release: then the try gives up, although there is a permit.
#if CUDASYNC_CUDA
template <thread_scope Scope>
[[nodiscard]] CUDASYNC_DEVICE bool try_acquire_permit(target::sm70, permit_queue<Scope>& queue) {
  constexpr target::here here{};
  auto& available = reinterpret_cast<uint32&>(queue.word);
  auto found = static_cast<uint32>(load<Scope>(here, queue.word, memory_order_relaxed_t{}));
  for (int attempts = 0; static_cast<int32>(found) > 0 && attempts < 1024; ++attempts)
    if (compare_exchange<Scope, 4>(here, available, found, found - 1, memory_order_acquire_t{})) return true;
  return false;
}
#endif

template <thread_scope Scope>
CUDASYNC_API void acquire_permit(target::any, permit_queue<Scope>& queue) {
  constexpr target::here here{};
  const uint64 before = fetch<Scope, 8, operation::add>(here, queue.word, ~uint64{0}, memory_order_acquire_t{});
  if (available_permits(before) > 0) return;
  ticket_is_served is_served{released_permits(before) - static_cast<uint32>(available_permits(before)), before};
  await_turn<Scope>(here, queue.word, is_served, memory_order_acquire_t{});
}

#if CUDASYNC_HAS_HOST
template <thread_scope Scope>
inline void acquire_permit(target::host here, permit_queue<Scope>& queue) {
  if (!retry<Scope>(here, time_before_queue, [&] { return try_acquire_permit(here, queue); }))
    acquire_permit(target::any{}, queue);
}
#endif

template <thread_scope Scope>
CUDASYNC_API void release_permits(target::any, permit_queue<Scope>& queue, ptrdiff_t count,
                                  [[maybe_unused]] caller where = caller::here()) {
  constexpr target::here here{};
  [[maybe_unused]] const uint64 before =
      fetch<Scope, 8, operation::add>(here, queue.word, permits(count), of_change(here));
  CUDASYNC_ASSERT(available_permits(before) <= queue.most_permits - count,
                  "semaphore: more permits than max(); acquire before each release, or give a greater LeastMaxValue");
  notify_after_change(here, &queue.word);
}

// The old word is not needed, so this is a RED.
#if CUDASYNC_CUDA && !CUDASYNC_CHECKED
template <thread_scope Scope>
CUDASYNC_DEVICE void release_permits(target::sm70, permit_queue<Scope>& queue, ptrdiff_t count,
                                     caller = caller::here()) {
  update<Scope, 8, operation::add>(target::here{}, queue.word, permits(count), memory_order_release_t{});
}
#endif

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
