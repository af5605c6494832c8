// Arrivals at the empty barriers of rings that tensor cores have read: recorded in the checked build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_TENSOR_CORE_RING_DEVICE_H
#define CUDASYNC_CHECKED_TENSOR_CORE_RING_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/copy/tensor_core_ring_device.h>
#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/checked/watch.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/trace/span.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

CUDASYNC_DEVICE void arrive_in_leader(ptx::shared_address bar, uint32 rank CUDASYNC_CALLER) {
  const trace::span traced(trace::action::consumer_release, {bar} CUDASYNC_PASS_CALLER);
  CUDASYNC_NOTE_CALL();
  note_others(bar);
  backend::arrive_in_leader(target::sm100{}, bar, rank);
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
