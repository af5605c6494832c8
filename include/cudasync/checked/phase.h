// Arrivals and waits: recorded and watched in the checked build, otherwise direct calls of the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_PHASE_H
#define CUDASYNC_CHECKED_PHASE_H

#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/cluster_phase.h>
#include <cudasync/backend/phase/counter_phase.h>
#include <cudasync/backend/phase/gate_phase.h>
#include <cudasync/checked/meeting.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/thread/time.h>
#include <cudasync/trace/span.h>

#if CUDASYNC_CHECKED
#include <cudasync/checked/phase_recorded.h>
#if CUDASYNC_CUDA
#include <cudasync/checked/phase_device.h>
#endif
#endif

// Public functions call these functions instead of the backend's, and pass on the location of the user's call.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

CUDASYNC_API void note_exit(target::any) {}

#if CUDASYNC_CHECKED
// Adds what is known of a pipeline to a failed assertion, and returns false. count: of its stages, if too few.
CUDASYNC_API void note_pipeline(target::any, const void*, const uint64*, uint32) {}
CUDASYNC_API bool is_told(const void* stages, const uint64& members, uint32 count = 0) {
  return note_pipeline(target::here{}, stages, &members, count), false;
}
#endif

// Scope: of the barrier. At thread scope, each thread may have a barrier of its own.
template <thread_scope Scope, class Phase, class Completion>
CUDASYNC_API void init(Phase& phase, uint64 expected, Completion&& completion, caller where = caller::here()) {
  if constexpr (is_checked) {
    if constexpr (Scope != thread_scope_thread) require_common_memory(target::here{}, &phase, expected, where);
    init_recorded(target::here{}, phase, expected, cudasync::move(completion), where);
  } else {
    backend::init(target::here{}, phase, expected, cudasync::move(completion));
  }
}

template <trace::action What = trace::action::arrive, class Phase>
CUDASYNC_API uint64 arrive(Phase& phase, uint64 update, caller where = caller::here()) {
  const trace::span traced(What, {&phase, update}, where);
  if constexpr (is_checked && What == trace::action::producer_commit)
    return commit_recorded(target::here{}, phase, update, where);
  else if constexpr (is_checked)
    return arrive_recorded(target::here{}, phase, update, where);
  else
    return backend::arrive(target::here{}, phase, update);
}

template <class Phase>
CUDASYNC_API void arrive_and_drop(Phase& phase, caller where = caller::here()) {
  const trace::span traced(trace::action::arrive_and_drop, {&phase}, where);
  if constexpr (is_checked)
    drop_recorded(target::here{}, phase, where);
  else
    backend::arrive_and_drop(target::here{}, phase);
}

// The event of a wait.
template <class Which>
CUDASYNC_API trace::span span_of_wait(const void* phase, Which, caller where) {
  return {trace::action::wait, {phase, 0, trace::no_stage}, where};
}
CUDASYNC_API trace::span span_of_wait(const void* phase, backend::stage_parity which, caller where) {
  return {which.is_producer ? trace::action::producer_acquire : trace::action::consumer_wait,
          {phase, 0, which.stage},
          where};
}

// Blocks until the phase is complete.
template <class Phase, class Which>
CUDASYNC_API void wait(const Phase& phase, Which which, caller where = caller::here()) {
  const trace::span traced = span_of_wait(&phase, which, where);
  if constexpr (is_checked)
    wait_with_watchdog(target::here{}, phase, which, where);
  else
    static_cast<void>(backend::wait(target::here{}, phase, which, backend::forever));
}

template <class Phase>
CUDASYNC_API void arrive_and_wait(Phase& phase, caller where = caller::here()) {
  const trace::span traced(trace::action::arrive_and_wait, {&phase}, where);
  if constexpr (is_checked)
    arrive_and_wait_recorded(target::here{}, phase, where);
  else
    backend::arrive_and_wait(target::here{}, phase);
}

// Copies that hold the phase, and are no arrivals.
template <class Phase>
CUDASYNC_API void note_copies(Phase& phase) {
  if constexpr (is_checked) record_copies(target::here{}, phase);
}

template <class Phase>
CUDASYNC_API void invalidate(Phase& phase) {
  if constexpr (is_checked) forget(target::here{}, phase);
  backend::invalidate(target::here{}, phase);
}

// Gives an mbarrier a name, for reports. Without a text, it is that of turns: see object_record::index.
template <class Phase>
CUDASYNC_API void name(Phase& phase, const char* text, uint32 index) {
  if constexpr (is_checked) record_name(target::here{}, phase, text, index);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif
