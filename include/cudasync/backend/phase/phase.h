// The common part of the phases of all kinds of barriers: tokens, parities, and words whose top bit is the parity.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_PHASE_H
#define CUDASYNC_BACKEND_PHASE_PHASE_H

#include <cudasync/core/integers.h>

// There are five phases. block_phase.h and cluster_phase.h are mbarriers where the hardware has them, counter_phase.h
// and gate_phase.h are counters, and grid_phase.h (backend/grid/) is a counter for one thread of each block. Each of
// the first four provides these functions, overloaded on the target. which is a phase_token, a phase_parity or a
// stage_parity:
//   init(here, phase, expected, completion)   begins the first phase, whose parity is even
//   arrive(here, phase, update)               counts update arrivals; releases; returns the token of the phase
//   arrive_and_drop(here, phase)              arrives, and lowers the expected count of later phases by one; releases
//   wait(here, phase, which, limit)           blocks until the phase is complete, for at most limit nanoseconds;
//                                             returns whether it is, and acquires if so
//   try_wait(here, phase, which)              the same, for a time that the hardware chooses or for none
//   arrive_and_wait(here, phase)              arrives and waits
//   invalidate(here, phase)                   ends the use of the memory as a barrier
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// The default completion function: nothing happens between the last arrival and the release of the waiters.
struct empty_completion {
  CUDASYNC_API void operator()() const noexcept {}
};

// A wait identifies its phase by the token of an arrive or the parity, for the current and the preceding phase only.
struct phase_token {
  uint64 value;
};
struct phase_parity {
  uint32 odd;  // 0 or 1
};

// A parity with the stage and the side of a pipeline that waits, for reports of hangs and for traces.
struct stage_parity {
  phase_parity parity;
  uint32 stage;
  bool is_producer;
};

// Whether a thread usually does other work before it waits for such a phase.
template <class Which>
inline constexpr bool is_after_work = true;
template <>
inline constexpr bool is_after_work<stage_parity> = false;

template <class Which>
[[nodiscard]] CUDASYNC_API constexpr Which unnamed(Which which) {
  return which;
}
[[nodiscard]] CUDASYNC_API constexpr phase_parity unnamed(stage_parity which) {
  return which.parity;
}

// Counters keep the parity in the top bit of a word. A token always has 64 bits, with the parity in its top bit.
template <class Word>
inline constexpr Word parity_bit = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));

template <class Word>
[[nodiscard]] CUDASYNC_API constexpr bool has_flipped(Word before, Word now) {
  return static_cast<int32>((before ^ now) >> (8 * sizeof(Word) - 32)) < 0;  // the top bit, by 32-bit operations
}

template <class Word>
[[nodiscard]] CUDASYNC_API constexpr phase_token to_token(Word word) {
  return {static_cast<uint64>(word) << (64 - 8 * sizeof(Word))};
}

[[nodiscard]] CUDASYNC_API constexpr phase_token to_token(phase_token which) {
  return which;
}
[[nodiscard]] CUDASYNC_API constexpr phase_token to_token(phase_parity which) {
  return {which.odd ? parity_bit<uint64> : 0};
}
[[nodiscard]] CUDASYNC_API constexpr phase_token to_token(stage_parity which) {
  return to_token(which.parity);
}

// A word with the parity of the phase that a wait identifies.
template <class Word, class Which>
[[nodiscard]] CUDASYNC_API constexpr Word to_word(Which which) {
  return static_cast<Word>(to_token(which).value >> (64 - 8 * sizeof(Word)));
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
