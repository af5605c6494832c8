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

// Each operation names the address space: only then is an addition whose result is unused a RED, and one of 64 bits a
// single instruction. The tests fold away where the compiler knows the space. What one thread alone can access needs no
// atomics, and in local memory PTX defines none.
template <thread_scope Scope>
CUDASYNC_DEVICE bool is_private(const void* word) {
  return Scope == thread_scope_thread || ptx::is_local(word);
}

template <thread_scope Scope>
using ptx_scope = typename ptx::scope_of<Scope>::type;

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_relaxed(target::sm70, const Word& word) {
  if (is_private<Scope>(&word)) return word;
  if (ptx::is_shared(&word)) return ptx::ld_relaxed(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word));
  return ptx::ld_relaxed(ptx_scope<Scope>{}, ptx::to_global_pointer(&word));
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word load_acquire(target::sm70, const Word& word) {
  if (is_private<Scope>(&word)) return word;
  if (ptx::is_shared(&word)) return ptx::ld_acquire(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word));
  return ptx::ld_acquire(ptx_scope<Scope>{}, ptx::to_global_pointer(&word));
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE void store_release(target::sm70, Word& word, identity<Word> value) {
  if (is_private<Scope>(&word))
    word = value;
  else if (ptx::is_shared(&word))
    ptx::st_release(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word), value);
  else
    ptx::st_release(ptx_scope<Scope>{}, ptx::to_global_pointer(&word), value);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE void add_relaxed(target::sm70, Word& word, identity<Word> value) {
  if (is_private<Scope>(&word))
    word += value;
  else if (ptx::is_shared(&word))
    ptx::red_relaxed_add(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word), value);
  else
    ptx::red_relaxed_add(ptx_scope<Scope>{}, ptx::to_global_pointer(&word), value);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_add_relaxed(target::sm70, Word& word, identity<Word> value) {
  if (is_private<Scope>(&word)) {
    const Word before = word;
    word = before + value;
    return before;
  }
  if (ptx::is_shared(&word)) return ptx::atom_relaxed_add(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word), value);
  return ptx::atom_relaxed_add(ptx_scope<Scope>{}, ptx::to_global_pointer(&word), value);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE Word fetch_add_release(target::sm70 here, Word& word, identity<Word> value) {
  if (is_private<Scope>(&word)) return fetch_add_relaxed<Scope>(here, word, value);
  if (ptx::is_shared(&word)) return ptx::atom_release_add(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word), value);
  return ptx::atom_release_add(ptx_scope<Scope>{}, ptx::to_global_pointer(&word), value);
}

template <thread_scope Scope, class Word>
CUDASYNC_DEVICE bool compare_exchange_release(target::sm70, Word& word, identity<Word> expected,
                                              identity<Word> desired) {
  if (is_private<Scope>(&word)) {
    const bool is_expected = word == expected;
    if (is_expected) word = desired;
    return is_expected;
  }
  if (ptx::is_shared(&word))
    return ptx::atom_release_cas(ptx_scope<Scope>{}, ptx::to_shared_pointer(&word), expected, desired) == expected;
  return ptx::atom_release_cas(ptx_scope<Scope>{}, ptx::to_global_pointer(&word), expected, desired) == expected;
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
