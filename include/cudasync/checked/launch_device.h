// The arrivals and waits of a launch_queue: recorded and watched in the checked build, otherwise calls of the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_LAUNCH_DEVICE_H
#define CUDASYNC_CHECKED_LAUNCH_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/copy/ring_device.h>
#include <cudasync/backend/grid/launch_device.h>
#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/trace/span.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// Waits for the answer of a stage or, as the scheduler, until the consumers of all blocks have released it.
template <uint32 Blocks>
CUDASYNC_DEVICE void await_queue(ptx::shared_address bar, uint32 parity, [[maybe_unused]] uint32 stage,
                                 [[maybe_unused]] bool is_scheduler CUDASYNC_CALLER) {
  const trace::span traced(is_scheduler ? trace::action::producer_acquire : trace::action::consumer_wait,
                           {bar, 0, stage} CUDASYNC_PASS_CALLER);
#if CUDASYNC_CHECKED
  if constexpr (Blocks > 1) note_others(bar);
  await_ring_noted<Blocks>(bar, parity != 0, stage, is_scheduler ? role::scheduler : role::taker, called_from);
#else
  backend::await_ring<Blocks>(target::sm90{}, bar, parity);
#endif
}

template <uint32 Blocks>
CUDASYNC_DEVICE void arrive_in_first_block(ptx::shared_address bar, uint32 rank CUDASYNC_CALLER) {
  const trace::span traced(trace::action::consumer_release, {bar} CUDASYNC_PASS_CALLER);
#if CUDASYNC_CHECKED
  if constexpr (Blocks == 1) {
    if (rank == 0) static_cast<void>(arrive_alone_on(bar, 1, called_from, [bar] { return ptx::mbarrier_arrive(bar); }));
    return;
  }
  note_call(called_from);
  note_others(bar);
  // This block's record counts the releases by its consumers, although they arrive at the first block's barrier.
  if (rank == 0) note_arrival(bar);
#endif
  backend::arrive_in_first_block<Blocks>(target::sm100{}, bar, rank);
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
