// On the device the lanes that arrive at the same object are found by a match across the warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_COALESCE_DEVICE_H
#define CUDASYNC_BACKEND_COALESCE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace backend {

struct coalesced_lanes {
  uint32 lanes;
  uint32 leader;

  CUDASYNC_DEVICE bool leads() const { return ptx::laneid() == leader; }
  CUDASYNC_DEVICE uint32 count() const { return static_cast<uint32>(__popc(static_cast<int>(lanes))); }

  // That of the leader's word, above zeros.
  CUDASYNC_DEVICE uint64 broadcast_upper_half(uint64 word) const {
    const uint32 upper_half = __shfl_sync(lanes, static_cast<uint32>(word >> 32), static_cast<int>(leader));
    return static_cast<uint64>(upper_half) << 32;
  }
};

CUDASYNC_DEVICE coalesced_lanes coalesce(target::sm70, const void* object, uint64 update) {
  const uint32 lanes = __match_any_sync(__activemask(), reinterpret_cast<uintptr>(object) ^ (update << 48));
  __syncwarp(lanes);
  return {lanes, static_cast<uint32>(__ffs(static_cast<int>(lanes)) - 1)};
}
}  // namespace backend
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
