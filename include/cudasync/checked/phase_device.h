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
#include <cudasync/checked/phase_recorded.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/barrier_words_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
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

// Records the beginning of a wait.
CUDASYNC_DEVICE void record_wait_on_mbarrier(const void*, backend::phase_token, caller where) {
  record_call(where);
}
CUDASYNC_DEVICE void record_wait_on_mbarrier(const void* phase, backend::phase_parity which, caller where) {
  record_parity(ptx::to_shared(phase), which.odd, where);
}
CUDASYNC_DEVICE void record_wait_on_mbarrier(const void* phase, backend::stage_parity which, caller where) {
  record_parity(ptx::to_shared(phase), which.parity.odd, where, which.is_producer ? role::producer : role::consumer,
                which.stage | is_of_cuda_pipeline);
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

// Longer waits are called through a pointer. Such a function does not see in which memory a barrier is: there are two.

// A value that changes when there is progress. At the full barriers of a pipeline, copies arrive asynchronously. Only
// the report reads the state of such a barrier: progress is measured by the recorded arrivals of the producers.
template <class Which>
CUDASYNC_DEVICE uint64 progress_of(ptx::shared_address bar, Which) {
  return state_in_wait(bar).bits;
}
CUDASYNC_DEVICE uint64 progress_of(ptx::shared_address bar, backend::stage_parity which) {
  if (which.is_producer) return state_in_wait(bar).bits;
  const object_record* const record = find(bar.value);
  return record != nullptr ? total_arrivals(*record) : 0;
}

template <class Scope, class Which>
__device__ __noinline__ void wait_for_mbarrier(ptx::shared_address bar, Which which) {
  watch guard(with_phase(kind::barrier, bar.value, which), explain_barriers);
  while (!backend::await_mbarrier_for(Scope{}, bar, which, between_looks))
    if (guard.has_given_up(progress_of(bar, which))) return;
}

// Progress is the number of missing arrivals. The third parameter makes the type another than that of the explanations,
// which are called through a pointer from here: ptxas takes that for a recursion, and then does not know the stack.
template <class Phase, class Which>
__device__ __noinline__ void wait_for_counter(const Phase& phase, Which which, bool) {
  watch guard(with_phase(kind::counter_barrier, reinterpret_cast<uintptr>(&phase), which), explain_value);
  while (!backend::wait(target::any{}, phase, backend::to_token(which), between_looks)) {
    const auto word = shared_by_all(const_cast<typename Phase::word_type&>(phase.parity_word()));
    if (guard.has_given_up(Phase::missing_arrivals(word))) return;
  }
}

template <class Phase, class Which>
CUDASYNC_DEVICE void wait_longer(target::sm70, const Phase& phase, Which which) {
  if (!backend::wait(target::any{}, phase, backend::to_token(which), between_looks))
    pointer_to<wait_for_counter<Phase, Which>>()(phase, which, true);
}
template <class Which>
CUDASYNC_DEVICE void wait_longer(target::sm80, const backend::block_phase& phase, Which which) {
  if (!backend::is_mbarrier(phase)) return wait_longer(target::sm70{}, phase, which);
  pointer_to<wait_for_mbarrier<ptx::scope_cta_t, Which>>()(ptx::to_shared(&phase), which);
}
template <class Which>
CUDASYNC_DEVICE void wait_longer(target::sm90, const backend::cluster_phase& phase, Which which) {
  pointer_to<wait_for_mbarrier<ptx::scope_cluster_t, Which>>()(ptx::to_shared(&phase), which);
}

// The records are written while the hardware tests the phase.
template <class Phase, class Which>
CUDASYNC_DEVICE void wait_with_watchdog(target::sm70, const Phase& phase, Which which, caller where) {
  const bool is_over = backend::try_wait(target::here{}, phase, backend::unnamed(which));
  record_phase(target::here{}, phase, which, where);
  if (!is_over) wait_longer(target::here{}, phase, which);
}

// The first stage of a pipeline has the record of its make_pipeline. count: of its stages; 0: the roles are wrong.
inline __device__ __noinline__ void write_note(const void* stages, const uint64* of_pipeline, uint32 count) {
  const object_record* const record = ptx::is_shared(stages) ? find(ptx::to_shared(stages).value) : nullptr;
  if (record == nullptr) return;
  const uint64 members = read_far(*of_pipeline);
  const site made{read_far(record->from)};
  failure_note[1] = reinterpret_cast<uintptr>(made.file());
  failure_note[2] = made.line();
  failure_note[3] = count != 0 ? count : members >> 42;
  failure_note[4] = members >> 21 & 0x1fffff;
  failure_note[0] = reinterpret_cast<uintptr>(
      count != 0
          ? "cudasync:   the pipeline that was made at %s:%llu has only %llu stages\n"
          : "cudasync:   the pipeline was made at %s:%llu for %llu producers and %llu consumers: give make_pipeline "
            "the number of threads that produce, or the role of each thread\n");
}
CUDASYNC_DEVICE void note_pipeline(target::sm70, const void* stages, const uint64* members, uint32 count) {
  pointer_to<write_note>()(stages, members, count);
}

// A thread that waits for the other blocks of its cluster before it exits has done its part.
CUDASYNC_DEVICE void note_exit(target::sm90) {
  record_call({"the end of a cluster_exit_guard", 0});
}

// --- Arriving ---

CUDASYNC_DEVICE uint64 arrive_recorded(target::sm80, backend::block_phase& phase, uint64 update, caller where) {
  if (!backend::is_mbarrier(phase)) {
    record_call(where);
    return backend::arrive_on_counter(phase, update);
  }
  return arrive_on(ptx::to_shared(&phase), static_cast<uint32>(update), false, where,
                   [&phase, update] { return backend::arrive_on_mbarrier(backend::mbarrier_target{}, phase, update); });
}
CUDASYNC_DEVICE uint64 arrive_recorded(target::sm90, backend::cluster_phase& phase, uint64 update, caller where) {
  const ptx::shared_address bar = backend::require_own(phase);
  const uint32 arrivals = static_cast<uint32>(update);
  return arrive_on(bar, arrivals, false, where, [bar, arrivals] {
    return ptx::mbarrier_arrive(ptx::sem_release_t{}, ptx::scope_cluster_t{}, bar, arrivals);
  });
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
  if (!is_over) wait_longer(target::here{}, phase, token);
}
template <class Phase>
CUDASYNC_DEVICE void arrive_and_wait_recorded(target::sm80, Phase& phase, caller where) {
  if constexpr (is_same<Phase, backend::block_phase>)
    if (backend::is_mbarrier(phase)) return arrive_and_wait_on_mbarrier(phase, where);
  arrive_and_wait_recorded(target::sm70{}, phase, where);
}

// An arrival at the full barrier of a stage. Copies arrive there asynchronously, so its state is not read.
CUDASYNC_DEVICE uint64 commit_recorded(target::sm80 here, backend::block_phase& phase, uint64 update, caller where) {
  record_call(where);
  if (!backend::is_mbarrier(phase)) return backend::arrive_on_counter(phase, update);
  const object_record* const record = find(ptx::to_shared(&phase).value);  // after two inits, by several groups
  if (record != nullptr && record->times >= 2) return arrive_recorded(here, phase, update, where);
  record_arrival(ptx::to_shared(&phase));
  return backend::arrive_on_mbarrier(backend::mbarrier_target{}, phase, update);
}

CUDASYNC_DEVICE void drop_recorded(target::sm80, backend::block_phase& phase, caller where) {
  if (!backend::is_mbarrier(phase)) {
    record_call(where);
    return backend::drop_out(backend::counter_target(phase), phase);
  }
  const ptx::shared_address bar = ptx::to_shared(&phase);
  static_cast<void>(arrive_on(bar, 1, true, where, [bar] { return ptx::mbarrier_arrive_drop(bar); }));
}
CUDASYNC_DEVICE void drop_recorded(target::sm90, backend::cluster_phase& phase, caller where) {
  const ptx::shared_address bar = backend::require_own(phase);
  static_cast<void>(arrive_on(bar, 1, true, where, [bar] {
    return ptx::mbarrier_arrive_drop(ptx::sem_release_t{}, ptx::scope_cluster_t{}, bar, 1);
  }));
}

CUDASYNC_DEVICE void record_copies(target::sm80, backend::block_phase& phase) {
  if (!backend::is_mbarrier(phase)) return;
  if (object_record* const record = find(ptx::to_shared(&phase).value)) shared_by_all(record->has_copies) = 1;
}
CUDASYNC_DEVICE void record_copies(target::sm80, backend::cluster_phase& phase) {
  record_copies(target::sm80{}, static_cast<backend::block_phase&>(phase));
}

// --- Initialization and invalidation ---

CUDASYNC_DEVICE void require_common_memory(target::sm70, const void* phase, uint64 expected,
                                           [[maybe_unused]] caller where) {
  CUDASYNC_ASSERT(!ptx::is_local(phase) || expected < 2,
                  "init: the barrier is in local memory, where each thread has one of its own; declare it __shared__");
}
template <class Phase>
CUDASYNC_DEVICE object_record& init_mbarrier_recorded(Phase& phase, uint64 expected, caller where) {
  record_call(where);
  object_record* const record = pointer_to<before_init>()(ptx::to_shared(&phase));
  backend::init(target::here{}, phase, expected, backend::empty_completion{});
  pointer_to<after_init>()(record, ptx::to_shared(&phase), static_cast<uint32>(expected), site::of(where).bits);
  return *record;
}
CUDASYNC_DEVICE void init_recorded(target::sm80, backend::block_phase& phase, uint64 expected,
                                   backend::empty_completion&& completion, caller where) {
  if (backend::is_mbarrier(phase)) return static_cast<void>(init_mbarrier_recorded(phase, expected, where));
  backend::init(target::here{}, phase, expected, cudasync::move(completion));
}
CUDASYNC_DEVICE void init_recorded(target::sm90, backend::cluster_phase& phase, uint64 expected,
                                   backend::empty_completion&&, caller where) {
  init_mbarrier_recorded(phase, expected, where).is_of_cluster = 1;
}

CUDASYNC_DEVICE void record_name(target::sm80, backend::block_phase& phase, const char* text, uint32 index) {
  if (!backend::is_mbarrier(phase)) return;
  object_record* const record = find(ptx::to_shared(&phase).value);
  if (record == nullptr) return;
  shared_by_all(record->name) = text != nullptr ? text : turn_name;  // by each thread of a group
  shared_by_all(record->index) = index;
}

CUDASYNC_DEVICE void forget(target::sm80, backend::block_phase& phase) {
  if (backend::is_mbarrier(phase)) record_end(ptx::to_shared(&phase));
}
CUDASYNC_DEVICE void forget(target::sm90, backend::cluster_phase& phase) {
  record_end(ptx::to_shared(&phase));
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
