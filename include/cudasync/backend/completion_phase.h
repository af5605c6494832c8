// A barrier's phase with a completion function, which the last arriver runs before anyone is released.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COMPLETION_PHASE_H
#define CUDASYNC_BACKEND_COMPLETION_PHASE_H

#include <cudasync/backend/phase_word.h>
#include <cudasync/backend/word.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>

#if CUDASYNC_HAS_HOST
#include <new>
#endif

// Unlike in counter.h the flip of the parity is a step of its own, after the completion function. While it runs nobody may
// arrive ([thread.barrier.class]: an arrival needs a positive expected count in the current phase).
//
// Ordering: arrivals release into pending, the last arriver acquires it, so the completion function sees what all did before
// arriving; then it releases into parity, which the waiters acquire.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// Bytes for the completion function: trivially default constructible whatever the function is. init constructs it.
template <class Completion>
struct completion_bytes {
  CUDASYNC_API Completion& get() { return *reinterpret_cast<Completion*>(bytes); }

  alignas(Completion) unsigned char bytes[sizeof(Completion)];
};

template <class Completion, bool IsTrivial = is_trivially_destructible<Completion>>
struct completion_storage : completion_bytes<Completion> {};

template <class Completion>
struct completion_storage<Completion, false> : completion_bytes<Completion> {
  completion_storage() = default;
  CUDASYNC_EXEC_CHECK_DISABLE
  CUDASYNC_API ~completion_storage() { this->get().~Completion(); }
};

template <thread_scope Scope, class Completion>
struct completion_phase {
  uint64 pending;
  uint64 expected;
  uint64 parity;  // a phase word
  completion_storage<Completion> completion;
};

CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Completion>
CUDASYNC_API void init(target::any, completion_phase<Scope, Completion>& phase, uint64 expected, Completion&& completion) {
  phase.pending = expected;
  phase.expected = expected;
  phase.parity = 0;
  ::new (static_cast<void*>(phase.completion.bytes)) Completion(cudasync::move(completion));
}

CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Completion>
CUDASYNC_API uint64 arrive(target::any, completion_phase<Scope, Completion>& phase, uint64 update) {
  const uint64 token = load_relaxed<Scope>(target::here{}, phase.parity);  // cannot flip before this thread has arrived
  if (add_release<Scope>(target::here{}, phase.pending, ~update + 1) == update) {
    static_cast<void>(load_acquire<Scope>(target::here{}, phase.pending));
    phase.completion.get()();
    store_relaxed<Scope>(target::here{}, phase.pending, load_relaxed<Scope>(target::here{}, phase.expected));
    wake_sleepers(target::here{}, phase.parity, add_release<Scope>(target::here{}, phase.parity, parity_bit));
  }
  return token;
}

template <thread_scope Scope, class Completion>
CUDASYNC_API void arrive_and_drop(target::any, completion_phase<Scope, Completion>& phase) {
  static_cast<void>(add_relaxed<Scope>(target::here{}, phase.expected, ~uint64{0}));
  static_cast<void>(arrive(target::here{}, phase, 1));
}

template <thread_scope Scope, class Completion, class Which>
CUDASYNC_API bool wait(target::any, const completion_phase<Scope, Completion>& phase, Which which, uint64 limit) {
  return await_flip<Scope>(target::here{}, phase.parity, to_phase_word(which), limit);
}

template <thread_scope Scope, class Completion, class Which>
CUDASYNC_API bool try_wait(target::any, const completion_phase<Scope, Completion>& phase, Which which) {
  return has_flipped(to_phase_word(which), load_acquire<Scope>(target::here{}, phase.parity));
}

template <thread_scope Scope, class Completion>
CUDASYNC_API void arrive_and_wait(target::any, completion_phase<Scope, Completion>& phase) {
  const uint64 token = arrive(target::here{}, phase, 1);
  static_cast<void>(wait(target::here{}, phase, phase_token{token}, forever));
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
