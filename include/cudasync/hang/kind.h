// The kind of object that a thread waits for, and its role, for reports of hangs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_KIND_H
#define CUDASYNC_HANG_KIND_H

#include <cudasync/core/integers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

enum class kind : uint32 {
  nothing,
  barrier,          // in shared memory, an mbarrier: a block's or a cluster's
  counter_barrier,  // kept as a counter
  grid_barrier,
  peer_barrier,
  world_barrier,
  named_barrier,
  latch,
  semaphore,
  atomic_value,
  atomic_lock,
  peer_signal,
  peer_mailbox,
  group,  // threads that meet by an instruction of the hardware, in a function that all of them call
};

// How an operation that returns the old value changes an atomic.
enum class change { addition, exchange, of_bits };

// The side of a ring that waits: of a pipeline, or of a launch_queue, for the release of an answer, or for the answer.
enum class role : uint32 { none, producer, consumer, scheduler, queue_consumer };

[[nodiscard]] CUDASYNC_API constexpr bool fills_stages(role who) {
  return who == role::producer || who == role::scheduler;
}

// The GPU that is missing in a phase of a peer_barrier, or the host of a world_barrier, as the watched number.
struct missing_peer {
  uint32 rank;
  bool is_own;  // blocks of this GPU are missing; of a world_barrier: its block 0 has not exchanged the signals
  uint32 phase;

  [[nodiscard]] CUDASYNC_API constexpr uint64 packed() const {
    return uint64{is_own} << 63 | uint64{rank} << 32 | phase;
  }
  [[nodiscard]] CUDASYNC_API static constexpr missing_peer of(uint64 number) {
    return {static_cast<uint32>(number >> 32) & 0x7fffffff, (number >> 63) != 0, static_cast<uint32>(number)};
  }
};

// The watched number of a semaphore. served changes when a thread gets a permit: the queue may stay as long.
struct queue_for_permit {
  uint32 served;
  uint32 threads;

  [[nodiscard]] CUDASYNC_API constexpr uint64 packed() const { return uint64{served} << 32 | threads; }
  [[nodiscard]] CUDASYNC_API static constexpr queue_for_permit of(uint64 number) {
    return {static_cast<uint32>(number >> 32), static_cast<uint32>(number)};
  }
};

#if CUDASYNC_CHECKED
// When a wait began, in nanoseconds. A thread that is stopped, by a debugger or with its GPU, sees no progress, so from
// its last look at the clock to this one, at most a quarter of the time-out counts.
CUDASYNC_API constexpr uint64 start_of_wait(uint64 start, uint64 last, uint64 now, uint64 timeout) {
  return start != 0 && now - last > timeout / 4 ? start + (now - last - timeout / 4) : start;
}
#endif

// A condition that a thread waits for can provide the kind of its object, and a number that changes while there is
// progress. Otherwise the object is an atomic, and the number is its value or, of more than eight bytes, a hash of it.
template <class Condition>
CUDASYNC_API constexpr auto kind_of(const Condition&, int) -> decltype(Condition::what) {
  return Condition::what;
}
template <class Condition>
CUDASYNC_API constexpr kind kind_of(const Condition&, long) {
  return kind::atomic_value;
}

template <class Condition, class Value>
CUDASYNC_API auto number_of(const Condition& condition, const Value&, int) -> decltype(condition.missing()) {
  return condition.missing();
}
template <class Condition, class Value>
CUDASYNC_API uint64 number_of(const Condition&, const Value& value, long) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&value);
  uint64 bits = 0;
  for (size_t index = 0; index < sizeof value; ++index)
    bits ^= uint64{bytes[index]} << (index + index / 8) % 8 * 8;
  return bits;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif
