// Arrivals and waits of the checked build on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_PHASE_HOST_H
#define CUDASYNC_CHECKED_PHASE_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST && CUDASYNC_CHECKED

#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/watch_host.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

template <class Phase>
inline uint64 missing_of(const Phase& phase) {
  return Phase::missing_arrivals(__atomic_load_n(&phase.parity_word(), __ATOMIC_RELAXED));
}

template <class Phase, class Which>
inline void wait_recorded(target::host, const Phase& phase, Which which) {
  if (backend::wait(target::here{}, phase, backend::unnamed(which), host_timeout() / 16)) return;
  host_watch guard(kind::counter_barrier, &phase);
  do {
    guard.look([&] { return missing_of(phase); });
  } while (!backend::wait(target::here{}, phase, backend::unnamed(which), host_timeout() / 16));
}

template <class Phase, class Which>
inline void wait_with_watchdog(target::host here, const Phase& phase, Which which, caller where) {
  called_last = where;
  wait_recorded(here, phase, which);
}

CUDASYNC_EXEC_CHECK_DISABLE
template <class Phase>
inline uint64 arrive_recorded(target::host, Phase& phase, uint64 update, caller where) {
  called_last = where;
  return backend::arrive(target::here{}, phase, update);
}
CUDASYNC_EXEC_CHECK_DISABLE
template <class Phase>
inline void arrive_and_wait_recorded(target::host here, Phase& phase, caller where) {
  const uint64 token = arrive_recorded(here, phase, 1, where);
  wait_recorded(here, phase, backend::phase_token{token});
}
template <class Phase>
inline uint64 commit_recorded(target::host here, Phase& phase, uint64 update, caller where) {
  return arrive_recorded(here, phase, update, where);
}

template <class Phase>
inline void drop_recorded(target::host, Phase& phase, caller where) {
  called_last = where;
  backend::arrive_and_drop(target::here{}, phase);
}

template <class Phase>
inline void record_copies(target::host, Phase&) {}

inline void require_common_memory(target::host, const void*, uint64, caller) {}
template <class Phase, class Completion>
inline void init_recorded(target::host, Phase& phase, uint64 expected, Completion&& completion, caller) {
  backend::init(target::here{}, phase, expected, cudasync::move(completion));
}

template <class Phase>
inline void record_name(target::host, Phase&, const char*, uint32) {}

template <class Phase>
inline void forget(target::host, Phase&) {}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_HAS_HOST && CUDASYNC_CHECKED

#endif
