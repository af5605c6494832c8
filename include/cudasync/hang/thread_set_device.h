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

  // Not operator=, which the compiler would unroll.
  CUDASYNC_DEVICE void assign(const thread_set& others) { copy_words(warps, others.warps, 32); }
  CUDASYNC_DEVICE void add(uint32 rank) { warps[rank / 32 % 32] |= uint32{1} << rank % 32; }
  CUDASYNC_DEVICE void add_warp_of(uint32 rank) { warps[rank / 32 % 32] = ~uint32{0}; }
  __device__ __noinline__ void clear() {
    change([](uint32& mine, uint32) { mine = 0; }, *this);
  }
  __device__ __noinline__ void add(const thread_set& others) {
    change([](uint32& mine, uint32 other) { mine |= other; }, others);
  }
  __device__ __noinline__ void remove(const thread_set& others) {
    change([](uint32& mine, uint32 other) { mine &= ~other; }, others);
  }
  __device__ __noinline__ void keep(const thread_set& others) {
    change([](uint32& mine, uint32 other) { mine &= other; }, others);
  }
  __device__ __noinline__ void add_warps_of(const thread_set& others) {
    change([](uint32& mine, uint32 other) { mine = other != 0 ? ~uint32{0} : mine; }, others);
  }
  __device__ __noinline__ void remove_warps_of(const thread_set& others) {
    change([](uint32& mine, uint32 other) { mine = other != 0 ? 0 : mine; }, others);
  }

  CUDASYNC_DEVICE bool has(uint32 rank) const { return (warps[rank / 32 % 32] >> rank % 32 & 1) != 0; }
  CUDASYNC_DEVICE bool has_warp_of(uint32 rank) const { return warps[rank / 32 % 32] != 0; }
  __device__ __noinline__ uint32 size() const {
    return sum([](uint32 mine) { return ptx::popc(mine); });
  }
  __device__ __noinline__ uint32 number_of_warps() const {
    return sum([](uint32 mine) { return mine != 0; });
  }
  __device__ __noinline__ bool has_one_of_each_warp() const {  // at most
    return sum([](uint32 mine) { return (mine & (mine - 1)) != 0; }) == 0;
  }
  __device__ __noinline__ bool meets(const thread_set& others) const {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if ((warps[warp] & others.warps[warp]) != 0) return true;
    return false;
  }
  __device__ __noinline__ uint32 first() const {
    uint32 rank = 0;
    CUDASYNC_NO_UNROLL
    while (rank < most_threads && !has(rank))
      ++rank;
    return rank % most_threads;
  }
  // Whether the set has threads of each warp of which threads are in both other sets.
  __device__ __noinline__ bool has_warps_of(const thread_set& some, const thread_set& others) const {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      if ((some.warps[warp] & others.warps[warp]) != 0 && warps[warp] == 0) return false;
    return true;
  }

 private:
  template <class Function>
  CUDASYNC_DEVICE void change(Function function, const thread_set& others) {
    CUDASYNC_NO_UNROLL
    for (uint32 warp = 0; warp < 32; ++warp)
      function(warps[warp], others.warps[warp]);
  }
  template <class Function>
  CUDASYNC_DEVICE uint32 sum(Function function) const {
    uint32 total = 0;
    CUDASYNC_NO_UNROLL
    for (const uint32 each : warps)
      total += function(each);
    return total;
  }
};

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
