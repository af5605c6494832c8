// A participant of a grid_barrier on the host: one thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_GRID_PHASE_HOST_H
#define CUDASYNC_BACKEND_GRID_GRID_PHASE_HOST_H

#include <cudasync/core/config.h>
#include <cudasync/hang/watch.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/backend/atomic/word_host.h>
#include <cudasync/backend/grid/grid_phase.h>
#include <cudasync/backend/phase/await_flip_host.h>
#include <cudasync/core/target.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <thread_scope Scope>
inline uint32 arrive(target::host here, grid_phase& phase, grid_share share) {
  const uint32 before = fetch_add_release<Scope>(here, phase.word, share.addend());
  if (has_flipped(before, before + share.addend())) notify(here, &phase);
  return before;
}

template <thread_scope Scope>
inline void wait(target::host here, const grid_phase& phase, [[maybe_unused]] grid_share share, uint32 before) {
  checked::host_watch guard(checked::kind::grid_barrier, &phase);
  while (!await_flip<Scope>(here, phase, before, guard.patience()))
    guard.look([&] { return missing_blocks(load_relaxed<Scope>(here, phase.word), share); });
}

template <thread_scope Scope>
inline void arrive_and_wait(target::host here, grid_phase& phase, grid_share share) {
  const uint32 before = arrive<Scope>(here, phase, share);
  wait<Scope>(here, phase, share, before);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
