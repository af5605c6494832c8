// The arrivals and waits of rings of stages: recorded and watched in the checked build, otherwise calls of the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_RING_DEVICE_H
#define CUDASYNC_CHECKED_RING_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/copy/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/ptx/address.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

#if CUDASYNC_CHECKED
template <uint32 Blocks>
__device__ __noinline__ void await_ring_slowly(ptx::shared_address bar, subject what) {
  watch guard(what, explain_barriers);
  do {
    CUDASYNC_NO_UNROLL
    for (uint32 tries = 0; tries < 64; ++tries)
      if (backend::wait_for_ring_briefly<Blocks>(target::sm90{}, bar, what.parity())) return;
  } while (!guard.has_given_up(state_in_wait(bar).bits));
}

// Producers of a ring and schedulers of a launch_queue are usually single lanes.
template <uint32 Blocks>
CUDASYNC_DEVICE void await_ring_recorded(ptx::shared_address bar, bool parity, uint32 stage, role who, caller where) {
  const bool is_over = backend::wait_for_ring_briefly<Blocks>(target::sm90{}, bar, parity);
  if (fills_stages(who))
    record_parity_alone(bar, parity, where, who, stage);
  else
    record_parity(bar, parity, where, who, stage);
  const subject what = subject::of(kind::barrier, bar.value, parity, true, who, stage);
  if (!is_over) pointer_to<await_ring_slowly<Blocks>>()(bar, what);
}
#else
template <uint32 Blocks>
CUDASYNC_DEVICE void await_ring_recorded(ptx::shared_address, bool, uint32, role, caller) {}
#endif

template <uint32 Blocks>
CUDASYNC_DEVICE void await_ring(ptx::shared_address bar, uint32 parity, uint32 stage, role who,
                                caller where = caller::here()) {
  const trace::span traced(fills_stages(who) ? trace::action::producer_acquire : trace::action::consumer_wait,
                           {bar, 0, stage}, where);
  if constexpr (is_checked)
    await_ring_recorded<Blocks>(bar, parity != 0, stage, who, where);
  else
    backend::await_ring<Blocks>(target::sm90{}, bar, parity);
}

// Receivers: the number of blocks of the cluster, from the first one on, in which this one arrives.
template <uint32 Blocks, uint32 Threads, uint32 Receivers = Blocks>
CUDASYNC_DEVICE void arrive_in_ring(ptx::shared_address bar, uint32 rank, caller where = caller::here()) {
  const trace::span traced(trace::action::consumer_release, {bar}, where);
  if constexpr (is_checked && Blocks == 1) {
    if (rank != 0) return;
    record_call(where);
    static_cast<void>(arrive_alone_on(bar, 1, [bar] { return ptx::mbarrier_arrive(bar); }));
  } else {
    record_call(where);
    record_others(bar);
    // This block's record counts the releases by its consumers, although they arrive at other blocks' barriers.
    if (rank == 0) record_arrival(bar);
    backend::arrive_in_ring<Blocks, Threads, Receivers>(target::sm90{}, bar, rank);
  }
}

// The same after a wait for the reads of tensor cores or of the copy engine.
template <uint32 Blocks, uint32 Threads>
CUDASYNC_DEVICE void arrive_in_ring_after_reads(ptx::shared_address bar, uint32 rank, caller where = caller::here()) {
  if constexpr (Blocks == 1) {
    arrive_in_ring<Blocks, Threads>(bar, rank, where);
  } else {
    const trace::span traced(trace::action::consumer_release, {bar}, where);
    record_call(where);
    record_others(bar);
    if (rank == 0) record_arrival(bar);
    backend::arrive_in_ring_after_reads<Blocks, Threads>(target::sm90{}, bar, rank);
  }
}

// In the first block of a pair, after reads of tensor memory.
CUDASYNC_DEVICE void arrive_in_leader(ptx::shared_address bar, uint32 rank, caller where = caller::here()) {
  const trace::span traced(trace::action::consumer_release, {bar}, where);
  record_call(where);
  record_others(bar);
  backend::arrive_in_leader(target::sm100{}, bar, rank);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA

#endif
