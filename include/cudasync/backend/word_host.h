// Atomic 64-bit words on the host, by the compiler's built-ins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_WORD_HOST_H
#define CUDASYNC_BACKEND_WORD_HOST_H

#include <cudasync/core/config.h>

#if CUDASYNC_HAS_HOST

#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

template <thread_scope>
inline uint64 load_relaxed(target::host, const uint64& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

template <thread_scope>
inline uint64 load_acquire(target::host, const uint64& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

template <thread_scope>
inline void store_relaxed(target::host, uint64& word, uint64 value) {
  __atomic_store_n(&word, value, __ATOMIC_RELAXED);
}

template <thread_scope>
inline uint64 add_relaxed(target::host, uint64& word, uint64 value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_RELAXED);
}

template <thread_scope>
inline uint64 add_release(target::host, uint64& word, uint64 value) {
  return __atomic_fetch_add(&word, value, __ATOMIC_RELEASE);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync


#endif  // CUDASYNC_HAS_HOST

#endif
