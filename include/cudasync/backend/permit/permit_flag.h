// The permit of a binary semaphore, as a word of four bytes that also keeps the order of the waiting threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PERMIT_PERMIT_FLAG_H
#define CUDASYNC_BACKEND_PERMIT_PERMIT_FLAG_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/thread/time.h>
#include <cudasync/checked/kind.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

// Bit 0: the permit is available. Bits 23..1: the number of waiting threads. Bits 31..24: the next ticket, modulo 256.
// A thread that has to wait takes the ticket next + waiting, modulo 256. When the permit is available and its ticket is
// next, it clears bit 0; then it leaves the queue. If more than 256 threads wait, several have the same ticket, and one
// of them gets the permit: the others get their turn when the same ticket is next again. Four bytes are too few for the
// tickets of all threads that a GPU can hold.
//
// A thread enters the queue only after it has tried for a while to take the permit (retry_for_a_while). Until then, a
// thread that has just released the permit can take it again, which is much faster than a transfer to another thread: with
// 132 blocks that compete, a round takes 0.67 times as long as with a queue from the start (H100). While a thread waits in
// the queue, no other thread can take the permit before it, so none starves.
//
// When no thread waits any more, next becomes zero again. So the word of a permit for which no thread waits is usually
// 1, and one compare-exchange takes the permit, without a load before.
//
// Ordering: as in permit_queue.h. The wait for the turn does not order anything, because the operation that then takes
// the permit acquires.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

enum : uint32 {
  permit_bit = 1,
  one_waiting = 2,
  one_served = uint32{1} << 24,
  waiting_bits = one_served - one_waiting,
};

// Whether the permit is available and this ticket is next.
struct ticket_is_next {
  static constexpr checked::kind what = checked::kind::semaphore;
  CUDASYNC_API uint64 missing() const { return (last & waiting_bits) / one_waiting; }

  uint32 ticket;
  uint32 last;

  CUDASYNC_API bool operator()(uint32 word) {
    last = word;
    return (word & permit_bit) != 0 && word / one_served == ticket;
  }
};

// Whether the permit is available and no thread waits for it.
struct permit_is_free {
  CUDASYNC_API bool operator()(uint32 word) const { return (word & (permit_bit | waiting_bits)) == permit_bit; }
};

template <thread_scope Scope>
struct permit_flag {
  static constexpr ptrdiff_t most_permits = 1;

  permit_flag() = default;
  CUDASYNC_API constexpr explicit permit_flag(ptrdiff_t count) : word(static_cast<uint32>(count)) {}

  uint32 word;
};

// Removes a thread that has taken the permit from the queue. found: the word that the thread found.
template <thread_scope Scope>
CUDASYNC_API void leave_queue(permit_flag<Scope>& flag, uint32 found) {
  constexpr target::here here{};
  uint32 left = found - permit_bit;
  const bool is_last = (found & waiting_bits) == one_waiting;
  if (is_last && compare_exchange<Scope, 4>(here, flag.word, left, uint32{0}, memory_order_relaxed_t{})) return;
  update<Scope, 4, operation::add>(here, flag.word, one_served - one_waiting, memory_order_relaxed_t{});
  notify(here, &flag.word);  // another thread may already have released the permit
}

template <thread_scope Scope>
[[nodiscard]] CUDASYNC_API bool try_acquire_permit(target::any, permit_flag<Scope>& flag) {
  constexpr target::here here{};
  uint32 found = load<Scope>(here, flag.word, memory_order_relaxed_t{});
  return permit_is_free{}(found) &&
         compare_exchange<Scope, 4>(here, flag.word, found, found - permit_bit, memory_order_acquire_t{});
}

template <thread_scope Scope>
CUDASYNC_API void acquire_permit(target::any, permit_flag<Scope>& flag) {
  constexpr target::here here{};
  uint32 found = permit_bit;
  if (compare_exchange<Scope, 4>(here, flag.word, found, uint32{0}, memory_order_acquire_t{})) return;
  if (retry_for_a_while(here, [&] { return try_acquire_permit(here, flag); })) return;
  const uint32 before = fetch<Scope, 4, operation::add>(here, flag.word, uint32{one_waiting}, memory_order_relaxed_t{});
  ticket_is_next is_next{(before / one_served + (before & waiting_bits) / one_waiting) % 256, before};
  for (found = before;; found = ~permit_bit) {
    if (!is_next(found)) await_turn<Scope>(here, flag.word, is_next, memory_order_relaxed_t{});
    found = fetch<Scope, 4, operation::bit_and>(here, flag.word, ~permit_bit, memory_order_acquire_t{});
    if (is_next(found)) return leave_queue(flag, found);
    // The permit belongs to another thread: after the check, a thread with the same ticket was faster. Puts it back.
    if ((found & permit_bit) != 0) {
      update<Scope, 4, operation::bit_or>(here, flag.word, uint32{permit_bit}, memory_order_relaxed_t{});
      notify(here, &flag.word);
    }
  }
}

template <thread_scope Scope>
[[nodiscard]] CUDASYNC_API bool await_permit(target::any, const permit_flag<Scope>& flag, uint64 limit) {
  permit_is_free is_free;
  return await_value<Scope>(target::here{}, flag.word, is_free, memory_order_relaxed_t{}, limit);
}

template <thread_scope Scope>
CUDASYNC_API void release_permits(target::any, permit_flag<Scope>& flag, ptrdiff_t count CUDASYNC_CALLER) {
  constexpr target::here here{};
  const uint32 bit = static_cast<uint32>(count) * permit_bit;
  const uint32 before = fetch<Scope, 4, operation::bit_or>(here, flag.word, bit, of_change(here));
  CUDASYNC_ASSERT((before & bit) == 0, "binary_semaphore: it has been released already");
  static_cast<void>(before);
  notify_after_change(here, &flag.word);
}

// The old word is not needed, so this is a RED.
#if CUDASYNC_CUDA && !CUDASYNC_CHECKED
template <thread_scope Scope>
CUDASYNC_DEVICE void release_permits(target::sm70, permit_flag<Scope>& flag, ptrdiff_t count) {
  const uint32 bit = static_cast<uint32>(count) * permit_bit;
  update<Scope, 4, operation::bit_or>(target::here{}, flag.word, bit, memory_order_release_t{});
}
#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
