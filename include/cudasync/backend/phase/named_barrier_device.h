// Operations on named barriers: one instruction or, in the checked build, a model that records the arrivals of warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_NAMED_BARRIER_DEVICE_H
#define CUDASYNC_BACKEND_PHASE_NAMED_BARRIER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/alignment.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/named_barrier_device.h>
#include <cudasync/hang/watch.h>
#include <cudasync/ptx/bar.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// What a vote returns: in how many threads the predicate is true, whether it is in all, or in any.
struct vote_count {};
struct vote_and {};
struct vote_or {};

// The kinds of barriers: known at compile time, the same for all threads of the block (no Threads), known at run time.
template <uint32 Id, uint32... Threads>
struct immediate_barrier {
  CUDASYNC_DEVICE static void sync(aligned_t) { ptx::bar_sync<Id, Threads...>(); }
  CUDASYNC_DEVICE static void sync(unaligned_t) { ptx::barrier_sync<Id, Threads...>(); }
  CUDASYNC_DEVICE static void arrive(aligned_t) { ptx::bar_arrive<Id, Threads...>(); }
  CUDASYNC_DEVICE static void arrive(unaligned_t) { ptx::barrier_arrive<Id, Threads...>(); }
  CUDASYNC_DEVICE static uint32 vote(vote_count, aligned_t, bool in) { return ptx::bar_red_popc<Id, Threads...>(in); }
  CUDASYNC_DEVICE static uint32 vote(vote_count, unaligned_t, bool in) {
    return ptx::barrier_red_popc<Id, Threads...>(in);
  }
  CUDASYNC_DEVICE static uint32 vote(vote_and, aligned_t, bool in) { return ptx::bar_red_and<Id, Threads...>(in); }
  CUDASYNC_DEVICE static uint32 vote(vote_and, unaligned_t, bool in) {
    return ptx::barrier_red_and<Id, Threads...>(in);
  }
  CUDASYNC_DEVICE static uint32 vote(vote_or, aligned_t, bool in) { return ptx::bar_red_or<Id, Threads...>(in); }
  CUDASYNC_DEVICE static uint32 vote(vote_or, unaligned_t, bool in) { return ptx::barrier_red_or<Id, Threads...>(in); }

  CUDASYNC_DEVICE static checked::warp_count expected() { return {Id, (uint32{0} + ... + Threads) / 32}; }
};

struct register_barrier {
  uint32 id;
  uint32 threads;

  CUDASYNC_DEVICE void sync(aligned_t) const { ptx::bar_sync(id, threads); }
  CUDASYNC_DEVICE void sync(unaligned_t) const { ptx::barrier_sync(id, threads); }
  CUDASYNC_DEVICE void arrive(aligned_t) const { ptx::bar_arrive(id, threads); }
  CUDASYNC_DEVICE void arrive(unaligned_t) const { ptx::barrier_arrive(id, threads); }
  CUDASYNC_DEVICE uint32 vote(vote_count, aligned_t, bool in) const { return ptx::bar_red_popc(id, threads, in); }
  CUDASYNC_DEVICE uint32 vote(vote_count, unaligned_t, bool in) const { return ptx::barrier_red_popc(id, threads, in); }
  CUDASYNC_DEVICE uint32 vote(vote_and, aligned_t, bool in) const { return ptx::bar_red_and(id, threads, in); }
  CUDASYNC_DEVICE uint32 vote(vote_and, unaligned_t, bool in) const { return ptx::barrier_red_and(id, threads, in); }
  CUDASYNC_DEVICE uint32 vote(vote_or, aligned_t, bool in) const { return ptx::bar_red_or(id, threads, in); }
  CUDASYNC_DEVICE uint32 vote(vote_or, unaligned_t, bool in) const { return ptx::barrier_red_or(id, threads, in); }

  CUDASYNC_DEVICE checked::warp_count expected() const { return {id, threads / 32}; }
};

// The operations of all three kinds. In the checked build, the model replaces the hardware. In a reduction, whose
// threads all wait, the model runs before the hardware. Two kinds of barriers have no model: barrier 0, which
// __syncthreads also uses, and barriers of all threads of the block, where the hardware does not count exited ones.
template <class Barrier, class Alignment>
CUDASYNC_DEVICE void sync(const Barrier& bar, Alignment alignment, caller where) {
  checked::note(target::here{}, where);
  const trace::span traced(trace::action::named_sync, trace::subject(bar.expected().id), where);
  if (bar.expected().is_modelled())
    checked::model_sync(bar.expected());
  else
    bar.sync(alignment);
}

template <class Barrier, class Alignment>
CUDASYNC_DEVICE void arrive(const Barrier& bar, Alignment alignment, caller where) {
  checked::note(target::here{}, where);
  const trace::span traced(trace::action::named_arrive, trace::subject(bar.expected().id), where);
  if (bar.expected().is_modelled())
    checked::model_arrive(bar.expected());
  else
    bar.arrive(alignment);
}

template <class Vote, class Barrier, class Alignment>
CUDASYNC_DEVICE uint32 vote(Vote kind, const Barrier& bar, Alignment alignment, bool in, caller where) {
  checked::note(target::here{}, where);
  const trace::span traced(trace::action::named_sync, trace::subject(bar.expected().id), where);
  if (bar.expected().is_modelled()) checked::model_sync(bar.expected());
  return bar.vote(kind, alignment, in);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
