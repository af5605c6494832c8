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

// Sequentially consistent, for notify_after_change.
template <thread_scope, class Word>
inline Word fetch_add_relaxed(target::host, Word& word, identity<Word> value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_SEQ_CST);
}

template <thread_scope, class Word>
inline Word fetch_add_release(target::host, Word& word, identity<Word> value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_RELEASE);
}

template <thread_scope, class Word>
inline Word fetch_and_relaxed(target::host, Word& word, identity<Word> value) {
  return __atomic_fetch_and(&word, value, __ATOMIC_RELAXED);
}

template <thread_scope, class Word>
inline Word fetch_or_relaxed(target::host, Word& word, identity<Word> value) {
  return __atomic_fetch_or(&word, value, __ATOMIC_RELAXED);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_HAS_HOST

#endif
