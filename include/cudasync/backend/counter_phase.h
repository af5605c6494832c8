// A barrier's phase in one 64-bit counter, which one addition an arrival drives: for device and system scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COUNTER_PHASE_H
#define CUDASYNC_BACKEND_COUNTER_PHASE_H

#include <cudasync/backend/await_flip.h>
#include <cudasync/backend/coalesce.h>
#include <cudasync/backend/phase.h>
#include <cudasync/backend/word.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

// Bits 30..0 hold the expected count E, bits 62..32 a count that starts at 2^31 - E, bit 63 the parity. So the arrival that
// completes a phase carries into bit 63: the count's end and the flip of the parity are one atomic addition, and waiters need
// nothing else. Whoever caused the carry then adds 2^31 - E to the count, for the next phase. Additions commute: arrivals of
// the next phase may come before that refill, and if they complete it too, the refill carries, and the refiller refills again.
//
// Ordering: arrivals are release read-modify-writes, refills relaxed ones, and nothing else writes the word after init; so
// every flip lies in the release sequences of all arrivals of its phase, and a waiter's acquire load sees what they did.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

template <thread_scope Scope>
struct counter_phase {
  using word_type = uint64;
  static constexpr word_type sleepers_bit = word_type{1} << 31;

  CUDASYNC_API word_type& sleepers_word() { return word; }
  CUDASYNC_API const word_type& parity_word() const { return word; }

  word_type word;
};

inline constexpr uint64 one_arrival = uint64{1} << 32;
inline constexpr uint64 one_drop = one_arrival - 1;  // expects one less, and carries an arrival into the upper half

[[nodiscard]] CUDASYNC_API constexpr uint64 expected_count(uint64 word) {
  return word & 0x7fffffff;
}

// What a count of zero lacks at the beginning of a phase.
[[nodiscard]] CUDASYNC_API constexpr uint64 refill(uint64 expected) {
  return ((uint64{1} << 31) - expected) << 32;
}

template <thread_scope Scope>
CUDASYNC_API void init(target::any, counter_phase<Scope>& phase, uint64 expected, empty_completion) {
  phase.word = refill(expected) | expected;
}

// For the thread whose addition flipped the parity and left the word at value. The load makes it a waiter too, who acquires
// the phase; it overlaps the refill.
template <thread_scope Scope>
CUDASYNC_API void begin_next_phase(counter_phase<Scope>& phase, uint64 value) {
  constexpr target::here here{};
  wake_sleepers(here, phase);
  while (expected_count(value) != 0) {  // zero when all have dropped out
    const uint64 addend = refill(expected_count(value));
    const uint64 before = add_relaxed<Scope>(here, phase.word, addend);
    static_cast<void>(load_acquire<Scope>(here, phase.word));
    value = before + addend;
    if (!has_flipped(before, value)) return;
    wake_sleepers(here, phase);
  }
}

// What an arrival learns: a word of its phase, and whether it completed (and acquired) the phase itself.
struct counter_arrival {
  uint64 word;
  bool completed;
};

// Adds one_arrival or one_drop, or a multiple.
template <thread_scope Scope>
CUDASYNC_API counter_arrival add_arrivals(counter_phase<Scope>& phase, uint64 addend) {
  const auto lanes = coalesce(target::here{}, &phase, addend);
  uint64 before = 0;
  bool completed = false;
  if (lanes.leads()) {
    addend *= lanes.count();
    before = add_release<Scope>(target::here{}, phase.word, addend);
    completed = has_flipped(before, before + addend);
    if (completed) begin_next_phase(phase, before + addend);
  }
  return {lanes.broadcast_upper_half(before), completed};
}

template <thread_scope Scope>
CUDASYNC_API uint64 arrive(target::any, counter_phase<Scope>& phase, uint64 update) {
  return add_arrivals(phase, update * one_arrival).word;
}

template <thread_scope Scope>
CUDASYNC_API void arrive_and_drop(target::any, counter_phase<Scope>& phase) {
  static_cast<void>(add_arrivals(phase, one_drop));
}

template <thread_scope Scope, class Which>
CUDASYNC_API bool wait(target::any, const counter_phase<Scope>& phase, Which which, uint64 limit) {
  return await_flip<Scope>(target::here{}, phase, to_word<uint64>(which), limit);
}

template <thread_scope Scope, class Which>
CUDASYNC_API bool try_wait(target::any, const counter_phase<Scope>& phase, Which which) {
  return has_flipped(to_word<uint64>(which), load_acquire<Scope>(target::here{}, phase.word));
}

template <thread_scope Scope>
CUDASYNC_API void arrive_and_wait(target::any, counter_phase<Scope>& phase) {
  const counter_arrival arrived = add_arrivals(phase, one_arrival);
  if (!arrived.completed) static_cast<void>(wait(target::here{}, phase, to_token(arrived.word), forever));
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
