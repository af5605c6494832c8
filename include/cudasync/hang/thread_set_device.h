// Sets of a block's threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_THREAD_SET_DEVICE_H
#define CUDASYNC_HANG_THREAD_SET_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/ptx/arithmetic.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

inline __device__ __noinline__ void copy_words(volatile uint32* to, const uint32* from, uint32 count) {
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < count; ++index)
    to[index] = from[index];
}

struct thread_set {
  uint32 warps[32];

  __device__ __noinline__ void clear() {
    CUDASYNC_NO_UNROLL
    for (uint32& each : warps)
      each = 0;
  }
  // Not operator=, which the compiler would unroll.
  CUDASYNC_DEVICE void assign(const thread_set& others) { copy_words(warps, others.warps, 32); }
  CUDASYNC_DEVICE void add(uint32 rank) { warps[rank / 32 % 32] |= uint32{1} << rank % 32; }
  CUDASYNC_DEVICE void add_warp_of(uint32 rank) { warps[rank / 32 % 32] = ~uint32{0}; }
  __device__ __noinline__ void add(const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      warps[warp] |= others.warps[warp];
  }
  __device__ __noinline__ void remove(const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      warps[warp] &= ~others.warps[warp];
  }
  __device__ __noinline__ void remove_warps_of(const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if (others.warps[warp] != 0) warps[warp] = 0;
  }
  __device__ __noinline__ void add_warps_of(const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if (others.warps[warp] != 0) warps[warp] = ~uint32{0};
  }
  __device__ __noinline__ uint32 number_of_warps() const {
    uint32 count = 0;
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps)
      count += each != 0;
    return count;
  }
  __device__ __noinline__ bool meets(const thread_set& others) const {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if ((warps[warp] & others.warps[warp]) != 0) return true;
    return false;
  }
  CUDASYNC_DEVICE bool has(uint32 rank) const { return (warps[rank / 32 % 32] >> rank % 32 & 1) != 0; }
  CUDASYNC_DEVICE bool has_warp_of(uint32 rank) const { return warps[rank / 32 % 32] != 0; }
  __device__ __noinline__ uint32 size() const {
    uint32 count = 0;
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps)
      count += ptx::popc(each);
    return count;
  }
  __device__ __noinline__ uint32 first() const {
    CUDASYNC_NO_UNROLL
    for (uint32 rank = 0; rank < most_threads; ++rank)
      if (has(rank)) return rank;
    return 0;
  }
  // Whether the set has threads of each warp of which threads are in both other sets.
  __device__ __noinline__ bool has_warps_of(const thread_set& some, const thread_set& others) const {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if ((some.warps[warp] & others.warps[warp]) != 0 && warps[warp] == 0) return false;
    return true;
  }
  // Whether the set has at most one thread of each warp.
  __device__ __noinline__ bool has_one_of_each_warp() const {
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps)
      if ((each & (each - 1)) != 0) return false;
    return true;
  }
};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
