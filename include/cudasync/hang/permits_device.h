// Records of which threads hold permits of semaphores, and of the last arrival of a block at a barrier of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_PERMITS_DEVICE_H
#define CUDASYNC_HANG_PERMITS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/thread/elect.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// The addresses of semaphores whose permits are released by threads that have not taken one: they are signals, and have
// no holders.
CUDASYNC_DEVICE_VARIABLE uint64 signals[1024];

CUDASYNC_DEVICE uint64& place_of_signal(uint64 address) {
  return signals[(address >> 2 ^ address >> 12) % 1024];
}

// The word in place_of_signal.
CUDASYNC_DEVICE uint64 signal_at(uint64 address) {
  return address << 16 | 1;
}

// The word of a held permit, not 0: the address in bits 47..1, 16 bits of the owner above.
CUDASYNC_DEVICE uint64 permit_of(uint64 address, uint32 owner) {
  return (address & 0xffffffffffff) | uint64{owner} << 48 | 1;
}

inline __device__ __noinline__ void record_permit(const void* semaphore) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  shared_by_all(warp.held[1][lane]) = read_far(warp.held[0][lane]);
  shared_by_all(warp.held[0][lane]) = permit_of(reinterpret_cast<uintptr>(semaphore), owner_of_warp());
  shared_by_all(warp.has_held) = 1;
}

inline __device__ __noinline__ void record_end_of_permit(const void* semaphore) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  const uint64 address = reinterpret_cast<uintptr>(semaphore) & 0xffffffffffff;
  const uint64 mine = permit_of(address, owner_of_warp());
  if (read_far(warp.held[0][lane]) == mine) {
    shared_by_all(warp.held[0][lane]) = read_far(warp.held[1][lane]);
    shared_by_all(warp.held[1][lane]) = 0;
  } else if (read_far(warp.held[1][lane]) == mine) {
    shared_by_all(warp.held[1][lane]) = 0;
  } else if (read_far(place_of_signal(address)) != signal_at(address)) {
    shared_by_all(place_of_signal(address)) = signal_at(address);
  }
}

// Called through pointers: see record_finder.
using permit_recorder = void (*)(const void* semaphore);
CUDASYNC_DEVICE_VARIABLE permit_recorder recorder_of_permits = record_permit;
CUDASYNC_DEVICE_VARIABLE permit_recorder recorder_of_releases = record_end_of_permit;

CUDASYNC_DEVICE void note_permit(target::sm70, const void* semaphore) {
  shared_by_all(recorder_of_permits)(semaphore);
}
CUDASYNC_DEVICE void note_release(target::sm70, const void* semaphore) {
  shared_by_all(recorder_of_releases)(semaphore);
}

// --- Arrivals of blocks ---

// Records the last arrival of this block at a grid_barrier or a peer_barrier, in its first thread.
CUDASYNC_DEVICE void note_arrival(target::sm70, const void* barrier, uint32 token) {
  if (backend::rank_in_block() != 0) return;
  shared_by_all(record_of_warp().arrival) = token;
  shared_by_all(record_of_warp().arrived_at) = permit_of(reinterpret_cast<uintptr>(barrier), owner_of_warp());
}
// Whether the last arrival of this block was at this barrier. True only in its first thread.
[[nodiscard]] CUDASYNC_DEVICE bool find_arrival(target::sm70, const void* barrier, uint32& token) {
  if (backend::rank_in_block() != 0) return false;
  token = read_far(record_of_warp().arrival);
  return read_far(record_of_warp().arrived_at) == permit_of(reinterpret_cast<uintptr>(barrier), owner_of_warp());
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
