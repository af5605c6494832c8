// The permit of a binary semaphore, as a word of four bytes that also keeps the order of the waiting threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PERMIT_PERMIT_FLAG_H
#define CUDASYNC_BACKEND_PERMIT_PERMIT_FLAG_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>

// Bit 0: the permit is available. Bit 1: since the last turn, a try has taken the permit before the thread whose turn
// it is. Bits 23..2: the number of threads in the queue. Bits 31..24: the next ticket, modulo 256. A thread that enters
// the queue takes the ticket next + waiting, modulo 256. When the permit is available and its ticket is next, one
// compare-exchange takes the permit, leaves the queue and passes the turn on. So the tickets of the threads in the
// queue are always next, next + 1, ..., without a gap, whatever other threads do in between.
//
// If more than 256 threads wait, several have the same ticket. Only one of their compare-exchanges succeeds, and the
// others wait until the ticket is next again: four bytes are too few for the tickets of all threads of a GPU.
//
// A thread enters the queue only after it has tried for a while to take the permit (time_before_queue). Until then, a
// thread that has just released the permit can take it again, which is much faster than a transfer to another thread.
// While a thread waits in the queue, acquire_permit does not take the permit before it. try_acquire_permit does, but
// only once before each turn. No function takes the permit for a moment and puts it back.
//
// When no thread waits any more, next becomes zero again. So the word of a permit for which no thread waits is 1, and
// one compare-exchange takes the permit, without a load before.
//
// Ordering: as in permit_queue.h. The wait for the turn does not order anything, because the operation that then takes
// the permit acquires. A thread that leaves the queue notifies nobody: the permit is then taken, and whoever waits can
// go on only after a release, which notifies.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

enum : uint32 {
  permit_bit = 1,
  overtaken_bit = 2,
  one_waiting = 4,
  one_served = uint32{1} << 24,
  waiting_bits = one_served - one_waiting,
};

// The word after the thread whose turn it is has taken the permit.
[[nodiscard]] CUDASYNC_API constexpr uint32 after_turn(uint32 word) {
  return (word & waiting_bits) == one_waiting ? 0 : (word & ~overtaken_bit) + one_served - one_waiting - permit_bit;
}

// Whether a try may take the permit.
[[nodiscard]] CUDASYNC_API constexpr bool is_open(uint32 word) {
  return (word & (permit_bit | overtaken_bit)) == permit_bit;
}

template <thread_scope Scope>
struct permit_flag {
  static constexpr ptrdiff_t most_permits = 1;

  permit_flag() = default;
  CUDASYNC_API constexpr explicit permit_flag(ptrdiff_t count) : word(static_cast<uint32>(count)) {}

  uint32 word;
};

// is_only_lane: whether no other lane of the warp does the same now. The loads of several lanes are one access, their
// compare-exchanges are many. pause_in_queue: before the next look; shorter than the turns before this thread's.
CUDASYNC_API constexpr bool is_only_lane(target::any) {
  return true;
}
CUDASYNC_API void pause_in_queue(target::any, uint32) {}
#if CUDASYNC_CUDA
CUDASYNC_DEVICE bool is_only_lane(target::sm70) {
  const uint32 lanes = __activemask();
  return (lanes & (lanes - 1)) == 0;
}
CUDASYNC_DEVICE void pause_in_queue(target::sm70, uint32 nanoseconds) {
  __nanosleep(nanoseconds);
}
#endif

// Takes the permit if it is this thread's turn. The wait does so itself: behind its loop, a lane may have to wait for
// the lanes of its warp that still poll, and meanwhile others would take the permit again and again (H100).
template <thread_scope Scope>
struct turn_in_queue {
  static constexpr checked::kind what = checked::kind::semaphore;
  CUDASYNC_API uint64 missing() const {
    return checked::queue_for_permit{last & ~waiting_bits, (last & waiting_bits) / one_waiting}.packed();
  }

  permit_flag<Scope>& flag;
  uint32 ticket;
  uint32 last;

  CUDASYNC_API bool operator()(uint32 word) {
    for (last = word; (last & permit_bit) != 0 && last / one_served == ticket;)
      if (compare_exchange<Scope, 4>(target::here{}, flag.word, last, after_turn(last), memory_order_acquire_t{}))
        return true;
    pause_in_queue(target::here{}, (ticket - last / one_served) % 256 * (Scope == thread_scope_block ? 64 : 256));
    return false;
  }
};

template <thread_scope Scope>
[[nodiscard]] CUDASYNC_API bool try_acquire_permit(target::any, permit_flag<Scope>& flag) {
  constexpr target::here here{};
  if (Scope != thread_scope_block && !is_only_lane(here) &&
      (load<Scope>(here, flag.word, memory_order_relaxed_t{}) & permit_bit) == 0)
    return false;
  uint32 found = permit_bit;
  bool is_taken = compare_exchange<Scope, 4>(here, flag.word, found, uint32{0}, memory_order_acquire_t{});
  if (!is_taken && found > permit_bit && is_open(found)) {  // threads wait
    const uint32 left = found - permit_bit + overtaken_bit;
    is_taken = compare_exchange<Scope, 4>(here, flag.word, found, left, memory_order_acquire_t{});
  }
  return is_taken;
}

// Does not take the permit before a thread that waits in the queue.
template <thread_scope Scope>
[[nodiscard]] CUDASYNC_API bool take_free_permit(target::any, permit_flag<Scope>& flag) {
  uint32 found = permit_bit;
  return compare_exchange<Scope, 4>(target::here{}, flag.word, found, uint32{0}, memory_order_acquire_t{});
}

template <thread_scope Scope>
CUDASYNC_API void acquire_permit(target::any, permit_flag<Scope>& flag) {
  constexpr target::here here{};
  if (take_free_permit(here, flag)) return;
  // In shared memory, a lane alone does not look before it tries again: there, a try is as fast as a load.
  const auto seems_free = [&] {
    return (Scope == thread_scope_block && is_only_lane(here)) ||
           load<Scope>(here, flag.word, memory_order_relaxed_t{}) == permit_bit;
  };
  if (retry<Scope>(here, time_before_queue, [&] { return take_free_permit(here, flag); }, seems_free)) return;
  const uint32 found = fetch<Scope, 4, operation::add>(here, flag.word, uint32{one_waiting}, memory_order_relaxed_t{});
  const uint32 ticket = (found / one_served + (found & waiting_bits) / one_waiting) % 256;
  turn_in_queue<Scope> turn{flag, ticket, found};
  await_turn<Scope>(here, flag.word, turn, memory_order_relaxed_t{});
}

// The word, for the lane that releases. With a vote and a reduction, ptxas would combine the changes of all lanes that
// are known to have one address. It does not know that the index is 0.
CUDASYNC_API uint32& word_of_lane(target::any, uint32& word) {
  return word;
}
#if CUDASYNC_CUDA
CUDASYNC_DEVICE uint32& word_of_lane(target::sm70, uint32& word) {
  return (&word)[threadIdx.x >= blockDim.x];
}
#endif

// Has no effect on a permit that is there already, which is no mistake: an event that is set twice is set. The old word
// is not needed, so this is a RED on the device where the compiler knows that the memory is global.
template <thread_scope Scope>
CUDASYNC_API void release_permits(target::any, permit_flag<Scope>& flag, ptrdiff_t count,
                                  [[maybe_unused]] caller where = caller::here()) {
  constexpr target::here here{};
  const uint32 bit = static_cast<uint32>(count) * permit_bit;
  static_cast<void>(fetch<Scope, 4, operation::bit_or>(here, word_of_lane(here, flag.word), bit, of_change(here)));
  notify_after_change(here, &flag.word);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
