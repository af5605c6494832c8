// A store to the memory of all GPUs at once, through a multicast address: multimem.st, which sm_90 and newer have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_MULTICAST_STORE_H
#define CUDASYNC_BACKEND_GRID_MULTICAST_STORE_H

#include <cudasync/core/config.h>
#include <cudasync/core/target.h>

#if CUDASYNC_CUDA
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/multimem.h>
#include <cudasync/ptx/qualifiers.h>
#endif

// One function, overloaded on the target:
//   store_release_everywhere(here, word, value)   stores the value to the word of each GPU; releases at system scope.
//                                                 word: at a multicast address, which no other function may access
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

#if CUDASYNC_CUDA
template <class Word, class Here = target::here, bool HasIsa = target::has_isa<81>>
CUDASYNC_DEVICE void store_release_everywhere(target::sm70, Word& word, Word value) {
  static_assert(
      !target::lacks<Here, target::sm90>,
      "stores through a multicast address need sm_90: pass the addresses of all GPUs' parts or signals on older "
      "architectures, or compile with -arch=sm_90 or newer");
  static_assert(HasIsa, "stores through a multicast address need PTX ISA 8.1: compile with CUDA 12.1 or newer");
  ptx::multimem_st(ptx::sem_release_t{}, ptx::scope_sys_t{}, ptx::to_global_pointer(&word), value);
}
#endif

#if CUDASYNC_HAS_HOST
// The host has no such store, but the host pass of a kernel instantiates it, so it must compile.
template <class Word>
[[noreturn]] inline void store_release_everywhere(target::host, Word&, Word) {
  __builtin_trap();
}
#endif

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
