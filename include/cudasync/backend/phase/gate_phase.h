// A barrier's phase that the last arrival completes in a separate step: for completion functions, and for block scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_GATE_PHASE_H
#define CUDASYNC_BACKEND_PHASE_GATE_PHASE_H

#include <cudasync/backend/atomic/word.h>
#include <cudasync/backend/phase/await_flip.h>
#include <cudasync/backend/phase/phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

#if CUDASYNC_HAS_HOST
#include <new>  // placement new, for users; NVRTC declares it by itself
#endif

// Each arrival decrements pending. The arrival that makes it zero runs the completion function, then stores the
// expected count and the other parity. Until then no thread may arrive ([thread.barrier.class]: an arrival needs a
// positive expected count in the phase), so a thread must know that the previous one has completed. An mbarrier and
// counter_phase accept earlier arrivals. Unlike counter_phase, there are two words, because shared memory has no 64-bit
// addition, and because a user's completion function must run between the last arrival and the flip.
//
// Ordering: each arrival releases to pending, and the last arrival acquires it, so the completion function sees what
// all threads did before they arrived. The store of the last arrival releases, and the waits acquire it.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// Storage for a completion function, trivially default constructible for any function. init constructs the function.
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

// The default completion function needs no storage.
template <>
struct completion_storage<empty_completion, true> {};

template <thread_scope Scope, class Word, class Completion>
struct gate_phase : completion_storage<Completion> {
  using word_type = Word;

  gate_phase() = default;
  CUDASYNC_EXEC_CHECK_DISABLE
  CUDASYNC_API gate_phase(uint64 count, Completion&& completion) {
    init(target::any{}, *this, count, cudasync::move(completion));
  }

  CUDASYNC_API static constexpr uint64 missing_arrivals(word_type word) { return word & ~parity_bit<word_type>; }
  CUDASYNC_API const word_type& parity_word() const { return pending; }

  word_type expected;
  word_type pending;  // the top bit is the parity
};

CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Word, class Completion>
CUDASYNC_API void init(target::any, gate_phase<Scope, Word, Completion>& phase, uint64 expected,
                       Completion&& completion) {
  phase.expected = static_cast<Word>(expected);
  phase.pending = static_cast<Word>(expected);
  if constexpr (!is_same<Completion, empty_completion>)
    ::new (static_cast<void*>(phase.bytes)) Completion(cudasync::move(completion));
}

template <class Completion>
using completed_by = decltype(declval<Completion&>()());

CUDASYNC_EXEC_CHECK_DISABLE
template <thread_scope Scope, class Word, class Completion>
CUDASYNC_API void complete(gate_phase<Scope, Word, Completion>& phase) noexcept {  // else the waits would not end
  static_assert(is_valid<completed_by, Completion>,
                "the completion function of a barrier is called without arguments, in the last thread that arrives; "
                "give a type with operator()()");
  if constexpr (!is_same<Completion, empty_completion>) phase.get()();
}

template <class Here, thread_scope Scope, class Word, class Completion>
CUDASYNC_API Word count_down(Here here, gate_phase<Scope, Word, Completion>& phase, Word update) {
  constexpr Word parity = parity_bit<Word>;
  const Word before = fetch_add_release<Scope>(here, phase.pending, Word{0} - update);
  CUDASYNC_ASSERT((before & ~parity) >= update,
                  "barrier: more arrivals than expected, or an arrival before the previous phase completed");
  if ((before & ~parity) == update) {
    static_cast<void>(load_acquire<Scope>(here, phase.pending));
    complete(phase);
    const Word expected = load_relaxed<Scope>(here, phase.expected);
    store_release<Scope>(here, phase.pending, (~before & parity) | expected);
    notify(here, &phase);
  }
  return before;
}

template <thread_scope Scope, class Word, class Completion>
CUDASYNC_API uint64 arrive(target::any, gate_phase<Scope, Word, Completion>& phase, uint64 update) {
  return to_token(count_down(target::here{}, phase, static_cast<Word>(update))).value;
}

template <class Here, thread_scope Scope, class Word, class Completion>
CUDASYNC_API void drop_out(Here here, gate_phase<Scope, Word, Completion>& phase) {
  static_cast<void>(fetch_add_relaxed<Scope>(here, phase.expected, ~Word{0}));
  static_cast<void>(count_down(here, phase, Word{1}));
}
template <thread_scope Scope, class Word, class Completion>
CUDASYNC_API void arrive_and_drop(target::any, gate_phase<Scope, Word, Completion>& phase) {
  drop_out(target::here{}, phase);
}

template <thread_scope Scope, class Word, class Completion, class Which>
CUDASYNC_API bool wait(target::any, const gate_phase<Scope, Word, Completion>& phase, Which which, uint64 limit) {
  return await_flip<Scope>(target::here{}, phase, to_word<Word>(which), limit);
}

template <thread_scope Scope, class Word, class Completion, class Which>
CUDASYNC_API bool try_wait(target::any, const gate_phase<Scope, Word, Completion>& phase, Which which) {
  return has_flipped(to_word<Word>(which), load_acquire<Scope>(target::here{}, phase.pending));
}

template <thread_scope Scope, class Word, class Completion>
CUDASYNC_API void arrive_and_wait(target::any, gate_phase<Scope, Word, Completion>& phase) {
  const phase_token token = to_token(count_down(target::here{}, phase, Word{1}));
  static_cast<void>(wait(target::here{}, phase, token, forever));
}

// The 8 bytes of a block's barrier: a counter, which is not used if they are an mbarrier.
struct alignas(8) block_phase : gate_phase<thread_scope_block, uint32, empty_completion> {
  block_phase() = default;
  CUDASYNC_API block_phase(uint64 count, empty_completion completion);
};

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
