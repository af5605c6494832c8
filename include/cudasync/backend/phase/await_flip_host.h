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

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <thread_scope Scope, class Phase>
inline bool await_flip(target::host here, const Phase& phase, typename Phase::word_type word, uint64 limit) {
  host_wait wait(limit);
  for (;;) {
    if (has_flipped(word, load_acquire<Scope>(here, phase.parity_word()))) return true;
    if (wait.is_over()) return false;
    if (!wait.should_sleep()) continue;
    parking_lot& place = parking_lot_of(&phase);
    const sleeper announced(place);
    const uint32 notices = notices_of(place);
    // Sequentially consistent, as is the announcement, for notify_after_change.
    if (!has_flipped(word, __atomic_load_n(&phase.parity_word(), __ATOMIC_SEQ_CST)))
      sleep_on(&place.notices, notices, wait.sleep());
  }
}

inline void let_others_arrive(target::host, uint32) {}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
