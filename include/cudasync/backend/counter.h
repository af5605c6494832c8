// The arithmetic of a barrier kept as one 64-bit counter: the same on host and device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COUNTER_H
#define CUDASYNC_BACKEND_COUNTER_H

#include <cudasync/backend/phase_word.h>
#include <cudasync/backend/word.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

// Bits 30..0 hold the expected count E, bits 62..32 a count that starts at 2^31 - E, bit 63 the parity (31: phase_bits.h).
// So the arrival that completes a phase carries into bit 63: the count's end and the flip of the parity are one atomic
// addition, and waiters need nothing else. Whoever caused the carry then adds 2^31 - E to the count for the next phase.
// Additions commute: arrivals of the next phase may come before that refill. If they complete it too, the refill carries, and
// the refiller refills again.
//
// Ordering: arrivals are release read-modify-writes, refills relaxed ones, and nothing else writes the word after init; so
// every flip lies in the release sequences of all arrivals of its phase, and the waiter's acquire load sees what they did.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

inline constexpr uint64 one_arrival = uint64{1} << 32;
inline constexpr uint64 one_drop = one_arrival - 1;  // expects one less, and carries one arrival into the upper half

[[nodiscard]] CUDASYNC_API constexpr uint64 expected_count(uint64 word) {
  return word & 0x7fffffff;
}

// What completes the count that a phase of this expected count starts with.
[[nodiscard]] CUDASYNC_API constexpr uint64 refill(uint64 expected) {
  return ((uint64{1} << 31) - expected) << 32;
}

[[nodiscard]] CUDASYNC_API constexpr uint64 new_counter(uint64 expected) {
  return refill(expected) | expected;
}

// For the thread whose addition made the word flip and left it at value. An acquire, at no cost: it overlaps the refill.
template <thread_scope Scope>
CUDASYNC_API void begin_next_phase(uint64& word, uint64 value) {
  wake_sleepers(target::here{}, word, value);
  while (expected_count(value) != 0) {  // zero: all have dropped out
    const uint64 addend = refill(expected_count(value));
    const uint64 before = add_relaxed<Scope>(target::here{}, word, addend);
    static_cast<void>(load_acquire<Scope>(target::here{}, word));
    value = before + addend;
    if (!has_flipped(before, value)) return;
    wake_sleepers(target::here{}, word, value);
  }
}

// What an arrival learns: the token of its phase, and whether it completed it (and acquired it, for then nobody waits).
struct arrival {
  uint64 token;
  bool completed;
};

// Adds one_arrival or one_drop, or a multiple.
template <thread_scope Scope>
CUDASYNC_API arrival arrive_alone(uint64& word, uint64 addend) {
  const uint64 before = add_release<Scope>(target::here{}, word, addend);
  const uint64 value = before + addend;
  const bool completed = has_flipped(before, value);
  if (completed) begin_next_phase<Scope>(word, value);
  return {before, completed};
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
