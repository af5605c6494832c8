// Arrivals and waits of the checked build: what all targets do, and the waits of host threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_PHASE_RECORDED_H
#define CUDASYNC_CHECKED_PHASE_RECORDED_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/watch.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

CUDASYNC_EXEC_CHECK_DISABLE
template <class Phase>
CUDASYNC_API uint64 arrive_recorded(target::any, Phase& phase, uint64 update, caller where) {
  note_use(target::here{}, &phase, where);
  return backend::arrive(target::here{}, phase, update);
}

#if CUDASYNC_HAS_HOST
template <class Phase, class Which>
inline void wait_with_watchdog(target::host, const Phase& phase, Which which, caller where) {
  called_last = where;
  if (backend::wait(target::here{}, phase, backend::unnamed(which), host_timeout() / 16)) return;
  host_watch guard(kind::counter_barrier, &phase);
  do {
    guard.look([&] { return Phase::missing_arrivals(__atomic_load_n(&phase.parity_word(), __ATOMIC_RELAXED)); });
  } while (!backend::wait(target::here{}, phase, backend::unnamed(which), host_timeout() / 16));
}
CUDASYNC_EXEC_CHECK_DISABLE
template <class Phase>
inline void arrive_and_wait_recorded(target::host here, Phase& phase, caller where) {
  const uint64 token = arrive_recorded(here, phase, 1, where);
  wait_with_watchdog(here, phase, backend::phase_token{token}, where);
}
#endif

// An arrival at the full barrier of a stage.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Phase>
CUDASYNC_API uint64 commit_recorded(target::any, Phase& phase, uint64 update, caller where) {
  return arrive_recorded(target::here{}, phase, update, where);
}

template <class Phase>
CUDASYNC_API void drop_recorded(target::any, Phase& phase, caller where) {
  note(target::here{}, where);
  backend::arrive_and_drop(target::here{}, phase);
}

// Copies that hold the phase.
template <class Phase>
CUDASYNC_API void record_copies(target::any, Phase&) {}

CUDASYNC_API void require_common_memory(target::any, const void*, uint64, caller) {}
template <class Phase, class Completion>
CUDASYNC_API void init_recorded(target::any, Phase& phase, uint64 expected, Completion&& completion, caller where) {
  note(target::here{}, where);
  note_init(&phase, where);
  backend::init(target::here{}, phase, expected, cudasync::move(completion));
}

template <class Phase>
CUDASYNC_API void record_name(target::any, Phase&, const char*, uint32) {}

template <class Phase>
CUDASYNC_API void forget(target::any, Phase&) {}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CHECKED

#endif
