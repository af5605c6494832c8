// The arrivals of a launch_queue's consumers: recorded in the checked build, otherwise calls of the backend.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_LAUNCH_DEVICE_H
#define CUDASYNC_CHECKED_LAUNCH_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/grid/launch_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/trace/span.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

template <uint32 Blocks>
CUDASYNC_DEVICE void arrive_in_first_block(ptx::shared_address bar, uint32 rank CUDASYNC_CALLER) {
  const trace::span traced(trace::action::consumer_release, {bar} CUDASYNC_PASS_CALLER);
#if CUDASYNC_CHECKED
  if constexpr (Blocks == 1) {
    if (rank == 0)
      static_cast<void>(arrive_on(bar, 1, false, called_from, [bar] { return ptx::mbarrier_arrive(bar); }));
    return;
  }
  note_call(called_from);
  note_others(bar);
#endif
  backend::arrive_in_first_block<Blocks>(target::sm100{}, bar, rank);
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
