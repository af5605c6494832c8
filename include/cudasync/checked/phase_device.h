// Arrivals and waits of the checked build on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_PHASE_DEVICE_H
#define CUDASYNC_CHECKED_PHASE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/backend/order/access_device.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/backend/phase/cluster_phase.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/barrier_waits_device.h>
#include <cudasync/hang/mbarrier_state_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/address.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- The object of a wait ---

CUDASYNC_DEVICE subject with_phase(kind what, uint64 address, backend::phase_token) {
  return subject::of(what, address);
}
CUDASYNC_DEVICE subject with_phase(kind what, uint64 address, backend::phase_parity which) {
  return subject::of(what, address, which.odd, true);
}
CUDASYNC_DEVICE subject with_phase(kind what, uint64 address, backend::stage_parity which) {
  return subject::of(what, address, which.parity.odd, true, which.is_producer ? role::producer : role::consumer,
                     which.stage);
}

template <class Phase, class Which>
CUDASYNC_DEVICE subject subject_of(target::sm70, const Phase& phase, Which which) {
  return with_phase(kind::counter_barrier, reinterpret_cast<uintptr>(&phase), which);
}
template <class Which>
CUDASYNC_DEVICE subject subject_of(target::sm80, const backend::block_phase& phase, Which which) {
  if (backend::is_mbarrier(phase)) return with_phase(kind::barrier, ptx::to_shared(&phase).value, which);
  return with_phase(kind::counter_barrier, reinterpret_cast<uintptr>(&phase), which);
}
template <class Which>
CUDASYNC_DEVICE subject subject_of(target::sm90, const backend::cluster_phase& phase, Which which) {
  return with_phase(kind::barrier, ptx::to_shared(&phase).value, which);
}

// A value that changes when there is progress. For a counter, it is the number of missing arrivals.
template <class Phase>
CUDASYNC_DEVICE uint64 value_of(target::sm70, const Phase& phase) {
  return Phase::missing_arrivals(shared_by_all(const_cast<typename Phase::word_type&>(phase.parity_word())));
}
CUDASYNC_DEVICE uint64 value_of(target::sm80, const backend::block_phase& phase) {
  if (!backend::is_mbarrier(phase)) return value_of(target::sm70{}, phase);
  return state_of(barrier_target{}, ptx::to_shared(&phase)).bits;
}
CUDASYNC_DEVICE uint64 value_of(target::sm90, const backend::cluster_phase& phase) {
  return state_of(barrier_target{}, ptx::to_shared(&phase)).bits;
}

// Records the beginning of a wait.
CUDASYNC_DEVICE void record_wait_on_mbarrier(const void* phase, backend::phase_token, caller where) {
  static_cast<void>(phase);
  record_call(where);
}
CUDASYNC_DEVICE void record_wait_on_mbarrier(const void* phase, backend::phase_parity which, caller where) {
  record_parity(ptx::to_shared(phase), which.odd, where);
}
CUDASYNC_DEVICE void record_wait_on_mbarrier(const void* phase, backend::stage_parity which, caller where) {
  record_parity(ptx::to_shared(phase), which.parity.odd, where, which.is_producer ? role::producer : role::consumer,
                which.stage);
}

template <class Phase, class Which>
CUDASYNC_DEVICE void record_phase(target::sm70, const Phase&, Which, caller where) {
  record_call(where);
}
template <class Which>
CUDASYNC_DEVICE void record_phase(target::sm80, const backend::block_phase& phase, Which which, caller where) {
  if (backend::is_mbarrier(phase))
    record_wait_on_mbarrier(&phase, which, where);
  else
    record_call(where);
}
template <class Which>
CUDASYNC_DEVICE void record_phase(target::sm90, const backend::cluster_phase& phase, Which which, caller where) {
  record_wait_on_mbarrier(&phase, which, where);
}

// --- Waiting ---

// At the full barriers of a pipeline, copies arrive asynchronously. Only the report reads the state of such a barrier:
// progress is measured by the recorded arrivals of the producers.
template <class Phase, class Which>
CUDASYNC_DEVICE uint64 progress_of(target::sm70, const Phase& phase, Which) {
  return value_of(target::here{}, phase);
}
CUDASYNC_DEVICE uint64 progress_of(target::sm80 here, const backend::block_phase& phase, backend::stage_parity which) {
  if (which.is_producer || !backend::is_mbarrier(phase)) return value_of(here, phase);
  const object_record* const record = find(ptx::to_shared(&phase).value);
  uint64 arrivals = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; record != nullptr && rank < threads_of_block(); ++rank)
    arrivals += word_together(*record, rank).arrivals() + word_apart(*record, rank).arrivals();
  return arrivals;
}

template <class Phase, class Which>
__device__ __noinline__ void wait_slowly(const Phase& phase, Which which) {
  const subject what = subject_of(target::here{}, phase, which);
  watch guard(what, explainer_of(what.what()));
  while (!backend::wait(target::here{}, phase, backend::unnamed(which), between_looks))
    if (guard.has_given_up(progress_of(target::here{}, phase, which))) return;
}

// The records are written while the hardware tests the phase.
template <class Phase, class Which>
CUDASYNC_DEVICE void wait_with_watchdog(target::sm70, const Phase& phase, Which which, caller where) {
  const bool is_over = backend::try_wait(target::here{}, phase, backend::unnamed(which));
  record_phase(target::here{}, phase, which, where);
  if (!is_over) wait_slowly(phase, which);
}

// --- Arriving ---

template <class Phase>
CUDASYNC_DEVICE uint64 arrive_recorded(target::sm70, Phase& phase, uint64 update, caller where) {
  record_call(where);
  return backend::arrive(target::here{}, phase, update);
}
CUDASYNC_DEVICE uint64 arrive_recorded(target::sm80, backend::block_phase& phase, uint64 update, caller where) {
  if (!backend::is_mbarrier(phase)) {
    record_call(where);
    return backend::arrive(target::any{}, backend::counter_of(phase), update);
  }
  return arrive_on(ptx::to_shared(&phase), static_cast<uint32>(update), false, where,
                   [&phase, update] { return backend::arrive_on_mbarrier(backend::mbarrier_target{}, phase, update); });
}
CUDASYNC_DEVICE uint64 arrive_recorded(target::sm90 here, backend::cluster_phase& phase, uint64 update, caller where) {
  return arrive_on(backend::require_own(phase), static_cast<uint32>(update), false, where,
                   [&phase, update, here] { return backend::arrive(here, phase, update); });
}

template <class Phase>
CUDASYNC_DEVICE void arrive_and_wait_recorded(target::sm70 here, Phase& phase, caller where) {
  const uint64 token = arrive_recorded(target::here{}, phase, 1, where);
  wait_with_watchdog(here, phase, backend::phase_token{token}, where);
}
// The call is recorded once, while the hardware tests the phase.
template <class Phase>
CUDASYNC_DEVICE void arrive_and_wait_on_mbarrier(Phase& phase, caller where) {
  const made_arrival made = make_arrival(ptx::to_shared(&phase), 1, false, where, [&phase] {
    return backend::arrive_on_mbarrier(backend::mbarrier_target{}, phase, 1);
  });
  const backend::phase_token token{made.token};
  const bool is_over = backend::try_wait(target::here{}, phase, token);
  record_call_together_if(made.is_plain, made.stamp, where);
  if (!is_over) wait_slowly(phase, token);
}
template <class Phase>
CUDASYNC_DEVICE void arrive_and_wait_recorded(target::sm80, Phase& phase, caller where) {
  if constexpr (is_same<Phase, backend::block_phase>)
    if (backend::is_mbarrier(phase)) return arrive_and_wait_on_mbarrier(phase, where);
  arrive_and_wait_recorded(target::sm70{}, phase, where);
}

// An arrival at the full barrier of a stage. Copies of other threads arrive there asynchronously, so its state is not
// read.
template <class Phase>
CUDASYNC_DEVICE uint64 commit_recorded(target::sm70 here, Phase& phase, uint64 update, caller where) {
  return arrive_recorded(here, phase, update, where);
}
CUDASYNC_DEVICE uint64 commit_recorded(target::sm80 here, backend::block_phase& phase, uint64 update, caller where) {
  record_call(where);
  if (!backend::is_mbarrier(phase)) return backend::arrive(target::any{}, backend::counter_of(phase), update);
  if (has_been_made_again(ptx::to_shared(&phase))) return arrive_recorded(here, phase, update, where);
  record_arrival(ptx::to_shared(&phase));
  return backend::arrive_on_mbarrier(backend::mbarrier_target{}, phase, update);
}

// The copies make the arrival later.
template <class Phase>
CUDASYNC_DEVICE void record_later_arrival(target::sm70, Phase&, caller where) {
  record_call(where);
}
CUDASYNC_DEVICE void record_later_arrival(target::sm80, backend::block_phase& phase, caller where) {
  record_call(where);
  if (backend::is_mbarrier(phase)) record_arrival(ptx::to_shared(&phase));
}

template <class Phase>
CUDASYNC_DEVICE void drop_recorded(target::sm70, Phase& phase, caller where) {
  record_call(where);
  backend::arrive_and_drop(target::here{}, phase);
}
CUDASYNC_DEVICE void drop_recorded(target::sm80, backend::block_phase& phase, caller where) {
  if (!backend::is_mbarrier(phase)) {
    record_call(where);
    return backend::arrive_and_drop(target::any{}, backend::counter_of(phase));
  }
  const ptx::shared_address bar = ptx::to_shared(&phase);
  static_cast<void>(arrive_on(bar, 1, true, where, [bar] { return ptx::mbarrier_arrive_drop(bar); }));
}
CUDASYNC_DEVICE void drop_recorded(target::sm90 here, backend::cluster_phase& phase, caller where) {
  static_cast<void>(arrive_on(backend::require_own(phase), 1, true, where, [&phase, here] {
    backend::arrive_and_drop(here, phase);
    return uint64{0};
  }));
}

// Copies that hold the phase.
template <class Phase>
CUDASYNC_DEVICE void record_copies(target::sm70, Phase&) {}
CUDASYNC_DEVICE void record_copies(target::sm80, backend::block_phase& phase) {
  if (!backend::is_mbarrier(phase)) return;
  if (object_record* const record = find(ptx::to_shared(&phase).value)) shared_by_all(record->has_copies) = 1;
}

// --- Initialization and invalidation ---

CUDASYNC_DEVICE void require_common_memory(target::sm70, const void* phase, uint64 expected,
                                           [[maybe_unused]] caller where) {
  CUDASYNC_ASSERT(expected < 2 || !ptx::is_local(backend::address_to_test<char>(phase)),
                  "init: the barrier is in local memory, where each thread has one of its own; declare it __shared__");
}
template <class Phase, class Completion>
CUDASYNC_DEVICE void init_recorded(target::sm70, Phase& phase, uint64 expected, Completion&& completion, caller where) {
  record_call(where);
  backend::init(target::here{}, phase, expected, cudasync::move(completion));
}
template <class Phase>
CUDASYNC_DEVICE object_record& init_mbarrier_recorded(Phase& phase, uint64 expected, caller where) {
  record_call(where);
  object_record* const record = before_init(ptx::to_shared(&phase));
  backend::init(target::here{}, phase, expected, backend::empty_completion{});
  after_init(record, ptx::to_shared(&phase), static_cast<uint32>(expected), site::of(where).bits);
  return *record;
}
CUDASYNC_DEVICE void init_recorded(target::sm80, backend::block_phase& phase, uint64 expected,
                                   backend::empty_completion&& completion, caller where) {
  if (backend::is_mbarrier(phase)) return static_cast<void>(init_mbarrier_recorded(phase, expected, where));
  backend::init(target::here{}, phase, expected, completion);
}
CUDASYNC_DEVICE void init_recorded(target::sm90, backend::cluster_phase& phase, uint64 expected,
                                   backend::empty_completion&&, caller where) {
  init_mbarrier_recorded(phase, expected, where).is_of_cluster = 1;
}

template <class Phase>
CUDASYNC_DEVICE void record_name(target::sm70, Phase&, const char*, uint32) {}
CUDASYNC_DEVICE void record_name(target::sm80, backend::block_phase& phase, const char* text, uint32 index) {
  if (!backend::is_mbarrier(phase)) return;
  object_record* const record = find(ptx::to_shared(&phase).value);
  if (record == nullptr) return;
  record->name = text;
  record->index = index;
}

template <class Phase>
CUDASYNC_DEVICE void forget(target::sm70, Phase&) {}
CUDASYNC_DEVICE void forget(target::sm80, backend::block_phase& phase) {
  if (backend::is_mbarrier(phase)) record_end(ptx::to_shared(&phase));
}
CUDASYNC_DEVICE void forget(target::sm90, backend::cluster_phase& phase) {
  record_end(ptx::to_shared(&phase));
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
