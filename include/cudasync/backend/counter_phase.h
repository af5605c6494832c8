// A barrier's phase as a counter, for every scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COUNTER_PHASE_H
#define CUDASYNC_BACKEND_COUNTER_PHASE_H

#include <cudasync/backend/counter_phase_device.h>
#include <cudasync/backend/counter_phase_host.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

template <thread_scope Scope>
struct counter_phase {
  uint64 word;
};

// The 8 bytes of a block's barrier: a counter, unless the target keeps an mbarrier there (block_phase_device.h).
struct block_phase {
  counter_phase<thread_scope_block> counter;
};

template <thread_scope Scope>
CUDASYNC_API void init(target::any, counter_phase<Scope>& phase, uint64 expected, empty_completion = {}) {
  phase.word = new_counter(expected);
}

template <thread_scope Scope>
CUDASYNC_API uint64 arrive(target::any, counter_phase<Scope>& phase, uint64 update) {
  return arrive_counter<Scope>(target::here{}, phase.word, update * one_arrival).token;
}

template <thread_scope Scope>
CUDASYNC_API void arrive_and_drop(target::any, counter_phase<Scope>& phase) {
  static_cast<void>(arrive_counter<Scope>(target::here{}, phase.word, one_drop));
}

template <thread_scope Scope>
CUDASYNC_API void arrive_and_wait(target::any, counter_phase<Scope>& phase) {
  const arrival arrived = arrive_counter<Scope>(target::here{}, phase.word, one_arrival);
  if (!arrived.completed) static_cast<void>(await_flip<Scope>(target::here{}, phase.word, arrived.token, forever));
}

template <thread_scope Scope, class Which>
CUDASYNC_API bool wait(target::any, const counter_phase<Scope>& phase, Which which, uint64 limit) {
  return await_flip<Scope>(target::here{}, phase.word, to_phase_word(which), limit);
}

template <thread_scope Scope, class Which>
CUDASYNC_API bool try_wait(target::any, const counter_phase<Scope>& phase, Which which) {
  return has_flipped(to_phase_word(which), load_acquire<Scope>(target::here{}, phase.word));
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
