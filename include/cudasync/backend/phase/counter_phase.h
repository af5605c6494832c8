// A barrier's phase as one 64-bit counter, to which each arrival is one addition: for device and system scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_COUNTER_PHASE_H
#define CUDASYNC_BACKEND_PHASE_COUNTER_PHASE_H

#include <cudasync/backend/atomic/word.h>
#include <cudasync/backend/phase/await_flip.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

// Bits 30..0 are the expected count E, bit 31 tells that a drop is under way, bits 62..32 are a count that starts each
// phase at 2^31 - E, and bit 63 is the parity. The arrival that completes a phase carries into bit 63: one addition
// ends the count and flips the parity, which is all that waiting threads need. The thread that completes the phase then
// adds the refill, 2^31 - E, and does not wait until it has taken effect.
//
// Additions commute, so arrivals of the next phase may take effect before the refill does. The count is then a small
// number, the arrivals since the flip, instead of a large one. Bit 62 distinguishes the two, as long as E times the
// number of pending refills is below 2^30. If such early arrivals also complete their phase, the arrival that does so
// sees this in its own count and adds one more refill; the parity flips when the first refill takes effect. If E is
// above 2^26, the thread that refills checks for a carry itself.
//
// A drop must not change E while a refill is pending: E tells which early arrivals complete a phase. It sets bit 31. A
// thread that finds this bit, and completes a phase or finds a refill pending, waits after its own refill, so that the
// pending refills end. The drop then takes bits 60 and 61 away, which are set if and only if no refill is pending.
// Until it adds them again, with its arrival, the phase cannot complete, and others must not make 2^28 arrivals. If E
// is above 2^26, it takes the whole count away, and gives it back if a refill was pending, which it recognizes because
// at most E arrivals were early, and E is below 2^30, the largest count of a barrier.
//
// A thread that arrives without knowing that the previous phase has completed may get the token of that phase.
//
// Ordering: arrivals are release read-modify-writes, and all others are relaxed. After init, nothing else writes the
// word. So every flip is in the release sequences of all arrivals of its phase, and waits acquire it.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// What is added to a count of zero to begin a phase: the number, and its place in the word.
[[nodiscard]] CUDASYNC_API constexpr uint32 refilled_count(uint32 expected) {
  return (uint32{1} << 31) - expected;
}
[[nodiscard]] CUDASYNC_API constexpr uint64 refill(uint64 expected) {
  return uint64{refilled_count(static_cast<uint32>(expected))} << 32;
}

template <thread_scope Scope>
struct counter_phase {
  using word_type = uint64;

  counter_phase() = default;
  CUDASYNC_API constexpr counter_phase(uint64 expected, empty_completion)
      : word((refill(expected) | expected) & ~parity_bit<uint64>) {}  // a refill of 0 arrivals would be a flip

  CUDASYNC_API static constexpr uint64 missing_arrivals(word_type word) {
    return (uint64{1} << 31) - ((word & ~parity_bit<word_type>) >> 32);
  }
  CUDASYNC_API const word_type& parity_word() const { return word; }

  word_type word;
};

enum : uint64 {
  one_arrival = uint64{1} << 32,
  one_drop = one_arrival - 1,  // lowers the expected count by one, and adds one arrival
};

[[nodiscard]] CUDASYNC_API constexpr uint32 expected_count(uint64 word) {
  return static_cast<uint32>(word);
}
[[nodiscard]] CUDASYNC_API constexpr uint32 upper_half(uint64 word) {
  return static_cast<uint32>(word >> 32);
}
[[nodiscard]] CUDASYNC_API constexpr uint32 current_count(uint64 word) {
  return upper_half(word) & 0x7fffffff;
}

template <thread_scope Scope>
CUDASYNC_API void init(target::any, counter_phase<Scope>& phase, uint64 expected, empty_completion completion) {
  phase = counter_phase<Scope>(expected, completion);
}

enum : uint32 {
  refilled_bit = uint32{1} << 30,  // of the count
  most_with_refilled_bit = uint32{1} << 26,
  few_arrivals = uint32{1} << 13,
  drop_bit = uint32{1} << 31,    // of the lower half
  taken_bits = uint32{3} << 28,  // of the count
};

// Whether the refill has taken effect. False for a short time after a flip.
[[nodiscard]] CUDASYNC_API constexpr bool is_refilled(uint64 word) {
  return (current_count(word) & refilled_bit) != 0 ||
         static_cast<int32>(expected_count(word)) > static_cast<int32>(most_with_refilled_bit);
}

// The sum of the refills of all phases that these arrivals completed when they raised the count to this number. The
// loop replaces a division, and runs one iteration per phase. If all have dropped out, no phase begins.
[[nodiscard]] CUDASYNC_API constexpr uint32 missing_refills(uint32 expected, uint32 count, uint32 arrivals) {
  if (expected == 0) return 0;
  uint32 sum = 0;
  for (uint32 left = count;; left -= expected) {
    if (left < arrivals) sum += refilled_count(expected);
    if (left < expected) return sum;
  }
}

// Adds refills, and one more each time that others have completed the next phase of a large count meanwhile. Then waits
// while the drop is under way that the caller has found: drop is then its bit.
template <thread_scope Scope>
CUDASYNC_API void add_refills(counter_phase<Scope>& phase, uint32 expected, uint32 drop, uint32 added) {
  constexpr target::here here{};
  while ((added | drop) != 0) {
    const uint64 before = fetch_add_relaxed<Scope>(here, phase.word, uint64{added} << 32);
    const uint32 found = upper_half(before);
    if (expected <= most_with_refilled_bit || !has_flipped(found, found + refilled_count(expected))) added = 0;
    drop &= expected_count(before);
    if (drop != 0) yield(here);
  }
  notify(here, &phase);
}

// Runs after the addition of an arrival, which found this word. The rare cases are a pending refill, a drop under way,
// several phases that the arrival completes, and an expected count whose refills do not set bit 62.
template <bool WillWait, thread_scope Scope>
CUDASYNC_API void finish_arrival(counter_phase<Scope>& phase, uint64 before, uint32 arrivals) {
  const uint32 now = upper_half(before) + arrivals;
  const bool has_completed = has_flipped(upper_half(before), now);
  if (!has_completed && is_refilled(before)) {
    const uint32 missing = static_cast<uint32>(phase.missing_arrivals(before));
    if (WillWait && missing > few_arrivals) let_others_arrive(target::here{}, missing);
    return;
  }
  const uint32 lower = expected_count(before);
  const uint32 count = now & 0x7fffffff;
  if (has_completed && count == 0 && lower <= most_with_refilled_bit) {
    static_cast<void>(fetch_add_relaxed<Scope>(target::here{}, phase.word, refill(lower)));
    notify_after_change(target::here{}, &phase);
  } else {
    const uint32 expected = lower & ~drop_bit;
    const bool may_complete = has_completed || expected <= most_with_refilled_bit;
    add_refills(phase, expected, lower & drop_bit, may_complete ? missing_refills(expected, count, arrivals) : 0);
  }
}

template <thread_scope Scope>
CUDASYNC_API uint64 arrive(target::any, counter_phase<Scope>& phase, uint64 update) {
  const uint64 before = fetch_add_release<Scope>(target::here{}, phase.word, update * one_arrival);
  finish_arrival<false>(phase, before, static_cast<uint32>(update));
  return before;
}

template <thread_scope Scope>
CUDASYNC_API void arrive_and_drop(target::any, counter_phase<Scope>& phase) {
  constexpr target::here here{};
  uint64 before = fetch_or_relaxed<Scope>(here, phase.word, drop_bit);
  for (; (before & drop_bit) != 0; before = fetch_or_relaxed<Scope>(here, phase.word, drop_bit))  // of another drop
    yield(here);
  const uint32 expected = expected_count(before);
  const uint64 bits = uint64{expected > most_with_refilled_bit ? 0x7fffffff : uint32{taken_bits}} << 32;
  for (bool has_dropped = false; !has_dropped;) {
    const uint64 taken = fetch_and_relaxed<Scope>(here, phase.word, ~bits);
    has_dropped = current_count(taken) >= refilled_count(expected);
    const uint64 added = (taken & bits) + (has_dropped ? one_drop - uint32{drop_bit} : 0);
    before = fetch_add_release<Scope>(here, phase.word, added);
    const uint64 now = before + added;
    if (has_flipped(upper_half(before), upper_half(now))) {
      const uint32 next = expected - has_dropped;
      const bool is_large = next > most_with_refilled_bit;
      add_refills(phase, next, 0, is_large ? refilled_count(next) : missing_refills(next, current_count(now), ~0u));
    }
    if (!has_dropped) yield(here);
  }
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
  const uint64 before = fetch_add_release<Scope>(target::here{}, phase.word, one_arrival);
  finish_arrival<true>(phase, before, 1);
  if (has_flipped(upper_half(before), upper_half(before) + 1))
    static_cast<void>(load_acquire<Scope>(target::here{}, phase.word));
  else
    static_cast<void>(wait(target::here{}, phase, to_token(before), forever));
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
