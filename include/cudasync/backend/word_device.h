// Atomic words on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_WORD_DEVICE_H
#define CUDASYNC_BACKEND_WORD_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/memory.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// What one thread alone can access needs no atomic accesses, and in local memory PTX defines none. The test folds away where
// the compiler knows the address space.
template <thread_scope Scope>
CUDASYNC_DEVICE bool is_private(const void* word) {
  return Scope == thread_scope_thread || ptx::is_local(word);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_relaxed(target::sm70, const Word& word) {
  if (is_private<Scope>(&word)) return word;
  return ptx::ld_relaxed(typename ptx::scope_of<Scope>::type{}, &word);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_acquire(target::sm70, const Word& word) {
  if (is_private<Scope>(&word)) return word;
  return ptx::ld_acquire(typename ptx::scope_of<Scope>::type{}, &word);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE void store_release(target::sm70, Word& word, identity<Word> value) {
  if (is_private<Scope>(&word))
    word = value;
  else
    ptx::st_release(typename ptx::scope_of<Scope>::type{}, &word, value);
}

CUDASYNC_DEVICE uint32* to_intrinsic(uint32* word) {
  return word;
}

CUDASYNC_DEVICE unsigned long long* to_intrinsic(uint64* word) {
  return reinterpret_cast<unsigned long long*>(word);
}

// CUDA's intrinsics instead of assembly: they keep an address space that the compiler knows.
template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word add_relaxed(target::sm70, Word& word, identity<Word> value) {
  if (is_private<Scope>(&word)) {
    const Word old = word;
    word = old + value;
    return old;
  }
  if constexpr (Scope == thread_scope_system)
    return atomicAdd_system(to_intrinsic(&word), value);
  else if constexpr (Scope == thread_scope_device)
    return atomicAdd(to_intrinsic(&word), value);
  else
    return atomicAdd_block(to_intrinsic(&word), value);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word add_release(target::sm70 here, Word& word, identity<Word> value) {
  ptx::fence_acq_rel(typename ptx::scope_of<Scope>::type{});
  return add_relaxed<Scope>(here, word, value);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word add_release(target::sm90 here, Word& word, identity<Word> value) {
  ptx::fence_release(typename ptx::scope_of<Scope>::type{});
  return add_relaxed<Scope>(here, word, value);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
