// The phase of the GPUs of a host, which each GPU stores into the memory of all GPUs through a multicast address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_MULTICAST_PHASE_H
#define CUDASYNC_BACKEND_GRID_MULTICAST_PHASE_H

#include <cudasync/backend/grid/first_warp.h>
#include <cudasync/backend/grid/peer_phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>

#if CUDASYNC_CUDA
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/multimem.h>
#include <cudasync/ptx/qualifiers.h>
#endif

// The algorithm is that of peer_phase.h. Only the stores differ: the switch between the GPUs copies one store to the
// slot of this GPU on every GPU, its own included. A GPU still polls its own memory, through the ordinary address.
//
// Ordering: multimem.st.release is a release of the memory model, and what it releases was accessed through ordinary
// addresses. Doubt: the model has no rule for a location that is stored through a multicast address and loaded through
// another. As accesses through two addresses they "behave as if using different proxies" (8.6), for which two accesses
// are not morally strong, and for which the model orders accesses by fence.proxy.alias. No fence can stand between a
// store and the poll that observes it, and the poll needs no order before it: it repeats until it reads the number. The
// generated code is that of st.release.sys: ptxas emits the same fence and the same store for both. NVIDIA's libraries
// rely on it, too. See docs/design/decisions/multicast.md, "Multicast".
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// store_release_everywhere(here, word, value) stores the value to the word of each GPU; releases at system scope. word:
// at a multicast address, which no other function may access.
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

// For the functions of peer_phase.h.
template <class Part>
struct multicast_team {
  Part* own;         // of this GPU, through its ordinary address
  Part* everywhere;  // of all GPUs, through the multicast address
  uint32 rank;
  uint32 count;
};

// Stores the phase into the memory of all GPUs. The first warp of a block calls it.
template <class Part>
CUDASYNC_API void tell_peers(target::any, const multicast_team<Part>& team, uint32 phase) {
  constexpr target::here here{};
  if (rank_in_first_warp(here) == 0)
    store_release_everywhere(here, memory_of(*team.everywhere).phases[team.rank], phase);
}

// For a whole block. Releases. Here: target::here, as a parameter of the caller, which delays the check of the target.
template <class Here>
CUDASYNC_API void raise_number_everywhere(Here here, uint32& place, uint32 number) {
  if constexpr (checked::is_on) checked::meet_lanes(here);
  meet_block(here);
  if (rank_in_first_warp(here) == 0) store_release_everywhere(here, place, number);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
