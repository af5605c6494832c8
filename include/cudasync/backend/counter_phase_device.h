// Arriving on a counter on the device: one addition for the lanes of a warp that arrive together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COUNTER_PHASE_DEVICE_H
#define CUDASYNC_BACKEND_COUNTER_PHASE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/counter.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

// The __syncwarp orders what the other lanes wrote before the leader's release. Lanes whose arrivals belong to different
// phases may be coalesced: additions commute (counter.h), and waiting for the earlier phase's token is no loss, since its
// completion and theirs came from this very addition.
template <thread_scope Scope>
CUDASYNC_DEVICE arrival arrive_counter(target::sm70, uint64& word, uint64 addend) {
  const uint32 active = __activemask();
  if ((active & (active - 1)) == 0) return arrive_alone<Scope>(word, addend);
  const uint32 peers = __match_any_sync(active, reinterpret_cast<uintptr>(&word) ^ addend);
  const int leader = __ffs(static_cast<int>(peers)) - 1;
  arrival arrived{0, false};
  __syncwarp(peers);
  if (ptx::laneid() == static_cast<uint32>(leader))
    arrived = arrive_alone<Scope>(word, addend * static_cast<uint32>(__popc(static_cast<int>(peers))));
  const uint32 upper_half = __shfl_sync(peers, static_cast<uint32>(arrived.token >> 32), leader);
  return {static_cast<uint64>(upper_half) << 32, arrived.completed};
}

}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
