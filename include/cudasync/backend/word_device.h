// Atomic 64-bit words on the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_WORD_DEVICE_H
#define CUDASYNC_BACKEND_WORD_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/memory.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// Atomics on local memory are undefined in PTX; an object there belongs to one thread, so plain accesses serve it.
template <thread_scope Scope>
CUDASYNC_DEVICE uint64 load_relaxed(target::sm70, const uint64& word) {
  if (ptx::is_local(&word)) return word;
  return ptx::ld_relaxed(typename ptx::scope_of<Scope>::type{}, &word);
}

template <thread_scope Scope>
CUDASYNC_DEVICE uint64 load_acquire(target::sm70, const uint64& word) {
  if (ptx::is_local(&word)) return word;
  return ptx::ld_acquire(typename ptx::scope_of<Scope>::type{}, &word);
}

template <thread_scope Scope>
CUDASYNC_DEVICE void store_relaxed(target::sm70, uint64& word, uint64 value) {
  if (ptx::is_local(&word))
    word = value;
  else
    ptx::st_relaxed(typename ptx::scope_of<Scope>::type{}, &word, value);
}

// CUDA's intrinsics instead of assembly: they keep an address space that the compiler knows.
template <thread_scope Scope>
CUDASYNC_DEVICE uint64 add_relaxed(target::sm70, uint64& word, uint64 value) {
  unsigned long long* const address = reinterpret_cast<unsigned long long*>(&word);
  if (ptx::is_local(&word)) {
    const uint64 old = word;
    word = old + value;
    return old;
  }
  if constexpr (Scope == thread_scope_system)
    return atomicAdd_system(address, value);
  else if constexpr (Scope == thread_scope_device)
    return atomicAdd(address, value);
  else
    return atomicAdd_block(address, value);
}

template <thread_scope Scope>
CUDASYNC_DEVICE uint64 add_release(target::sm70 here, uint64& word, uint64 value) {
  ptx::fence_acq_rel(typename ptx::scope_of<Scope>::type{});
  return add_relaxed<Scope>(here, word, value);
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync


#endif  // CUDASYNC_CUDA

#endif
