// Waiting for a parity on the host: spins briefly, then sleeps on a futex.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_HOST_H
#define CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/atomic/word_host.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/backend/thread/time.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// The futex compares the half of the word that contains sleepers_bit: no thread falls asleep after the bit is cleared.
template <class Phase>
inline constexpr bool sleeps_in_upper_half = static_cast<uint64>(Phase::sleepers_bit) >> 32 != 0;

template <class Phase>
inline uint32* sleeping_place(Phase& phase) {
  constexpr bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  constexpr bool is_second = sizeof(typename Phase::word_type) == 8 && sleeps_in_upper_half<Phase> == is_little;
  return reinterpret_cast<uint32*>(&phase.sleepers_word()) + (is_second ? 1 : 0);
}

template <class Phase>
inline uint32 sleeping_value(typename Phase::word_type value) {
  return static_cast<uint32>(static_cast<uint64>(value) >> (sleeps_in_upper_half<Phase> ? 32 : 0));
}

template <thread_scope Scope, class Phase>
inline bool await_flip(target::host here, const Phase& phase, typename Phase::word_type word, uint64 limit) {
  using word_type = typename Phase::word_type;
  const uint64 start = limit == forever ? 0 : now(here);
  for (uint32 polls = 0;; ++polls) {
    if (has_flipped(word, load_acquire<Scope>(here, phase.parity_word()))) return true;
    const uint64 waited = limit == forever ? 0 : now(here) - start;
    if (limit != forever && waited >= limit) return false;
    if (polls < 64) {
      if (polls >= 16) yield(here);
      continue;
    }
    // A user of the barrier cannot see the announcement, so the object stays logically const. The announcement and the
    // clearing in wake_sleepers are read-modify-writes of the same word. If the announcement is later, it acquires the
    // flip, and the load below sees the flip. If the clearing is later, it sees the announcement.
    Phase& announced = const_cast<Phase&>(phase);
    const word_type value =
        __atomic_fetch_or(&announced.sleepers_word(), Phase::sleepers_bit, __ATOMIC_ACQ_REL) | Phase::sleepers_bit;
    if (!has_flipped(word, load_relaxed<Scope>(here, phase.parity_word())))
      sleep_on(sleeping_place(announced), sleeping_value<Phase>(value),
               limit - waited < longest_sleep ? limit - waited : longest_sleep);
  }
}

template <class Phase>
inline void wake_sleepers(target::host, Phase& phase) {
  constexpr auto others = static_cast<typename Phase::word_type>(~Phase::sleepers_bit);
  if ((__atomic_fetch_and(&phase.sleepers_word(), others, __ATOMIC_ACQ_REL) & Phase::sleepers_bit) == 0) return;
  wake_all(sleeping_place(phase));
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
