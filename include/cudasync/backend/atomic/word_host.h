// Atomic words on the host, by the compiler's built-ins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_ATOMIC_WORD_HOST_H
#define CUDASYNC_BACKEND_ATOMIC_WORD_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

template <thread_scope, class Word>
inline Word load_relaxed(target::host, const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

template <thread_scope, class Word>
inline Word load_acquire(target::host, const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

template <thread_scope, class Word>
inline void store_release(target::host, Word& word, identity<Word> value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

template <thread_scope, class Word>
inline Word fetch_add_relaxed(target::host, Word& word, identity<Word> value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_RELAXED);
}

template <thread_scope Scope, class Word>
inline void add_relaxed(target::host here, Word& word, identity<Word> value) {
  static_cast<void>(fetch_add_relaxed<Scope>(here, word, value));
}

template <thread_scope, class Word>
inline Word fetch_add_release(target::host, Word& word, identity<Word> value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_RELEASE);
}

template <thread_scope, class Word>
inline bool compare_exchange_release(target::host, Word& word, identity<Word> expected, identity<Word> desired) {
  return __atomic_compare_exchange_n(&word, &expected, desired, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
