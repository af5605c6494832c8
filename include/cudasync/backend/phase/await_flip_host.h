// Waiting for a parity on the host: spins and yields, then sleeps on a futex.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_HOST_H
#define CUDASYNC_BACKEND_PHASE_AWAIT_FLIP_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/atomic/word_host.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/thread/time.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

template <thread_scope Scope, class Phase>
inline bool await_flip(target::host here, const Phase& phase, typename Phase::word_type word, uint64 limit) {
  host_wait wait(limit);
  for (;;) {
    if (has_flipped(word, load_acquire<Scope>(here, phase.parity_word()))) return true;
    if (wait.is_over()) return false;
    if (!wait.should_sleep()) continue;
    // A user of the barrier cannot see the announcement, so the object stays logically const. The announcement and the
    // clearing in wake_sleepers are read-modify-writes of the same word. If the announcement is later, it acquires the
    // flip, and the load below sees the flip. If the clearing is later, it sees the announcement.
    const parking_lot& place = parking_lot_of(&phase);
    const uint32 notices = notices_of(place);
    Phase& announced = const_cast<Phase&>(phase);
    static_cast<void>(__atomic_fetch_or(&announced.sleepers_word(), Phase::sleepers_bit, __ATOMIC_ACQUIRE));
    if (!has_flipped(word, load_relaxed<Scope>(here, phase.parity_word())))
      sleep_on(&place.notices, notices, wait.sleep());
  }
}

inline void let_others_arrive(target::host, uint32) {}

template <class Phase>
inline void wake_sleepers(target::host, Phase& phase) {
  constexpr auto others = static_cast<typename Phase::word_type>(~Phase::sleepers_bit);
  if ((__atomic_fetch_and(&phase.sleepers_word(), others, __ATOMIC_RELEASE) & Phase::sleepers_bit) == 0) return;
  wake(parking_lot_of(&phase));
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_HAS_HOST

#endif
