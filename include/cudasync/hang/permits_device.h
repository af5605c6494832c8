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

// A note about a warp and an object in any memory: the owner in the upper half, a hash of the address, which is odd, in
// the lower half. Notes of earlier kernels are still there, so a note has all bits of the owner. address: 48 bits, as
// of a subject.
CUDASYNC_DEVICE uint64 note_of(uint64 address, uint32 owner) {
  return uint64{owner} << 32 | static_cast<uint32>(address >> 1 ^ address << 16 >> 48) | 1;
}

// Counts an acquire (1) or a release (-1) of any semaphore.
CUDASYNC_DEVICE void count_permit(warp_record& warp, int32 change) {
  uint64& mine = warp.kept[own_lane()];
  const uint64 before = read_far(mine);
  const uint32 kept = before >> 32 == owner_of_warp() ? static_cast<uint32>(before) : 0;
  shared_by_all(mine) = uint64{owner_of_warp()} << 32 | (kept + static_cast<uint32>(change));
}

inline __device__ __noinline__ void record_permit(const void* semaphore) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  count_permit(warp, 1);
  shared_by_all(warp.held[1][lane]) = read_far(warp.held[0][lane]);
  shared_by_all(warp.held[0][lane]) = note_of(reinterpret_cast<uintptr>(semaphore), owner_of_warp());
  shared_by_all(warp.has_held) = 1;
}

// Records that the thread has counted down a latch, released a permit, or notified those that wait for an atomic.
inline __device__ __noinline__ void record_given(const void* object) {
  warp_record& warp = record_of_warp();
  shared_by_all(warp.given[own_lane()]) = note_of(reinterpret_cast<uintptr>(object), owner_of_warp());
  shared_by_all(warp.has_given) = 1;
}

inline __device__ __noinline__ void record_end_of_permit(const void* semaphore) {
  record_given(semaphore);
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  count_permit(warp, -1);
  const uint64 address = reinterpret_cast<uintptr>(semaphore);
  const uint64 mine = note_of(address, owner_of_warp());
  if (read_far(warp.held[0][lane]) == mine) {
    shared_by_all(warp.held[0][lane]) = read_far(warp.held[1][lane]);
    shared_by_all(warp.held[1][lane]) = 0;
  } else if (read_far(warp.held[1][lane]) == mine) {
    shared_by_all(warp.held[1][lane]) = 0;
  } else if (read_far(place_of_signal(address)) != signal_at(address)) {
    shared_by_all(place_of_signal(address)) = signal_at(address);
  }
}

CUDASYNC_DEVICE void note_permit(target::sm70, const void* semaphore) {
  pointer_to<record_permit>()(semaphore);
}
CUDASYNC_DEVICE void note_release(target::sm70, const void* semaphore) {
  pointer_to<record_end_of_permit>()(semaphore);
}

CUDASYNC_DEVICE void note_given(target::sm70, const void* object, caller where) {
  record_call(where);
  pointer_to<record_given>()(object);
}

// --- Arrivals of blocks ---

// Whether this is the first thread of the block, and the last arrival of the block was at this barrier, and the block
// has not waited for it. token: of that arrival.
[[nodiscard]] CUDASYNC_DEVICE bool find_arrival(target::sm70, const void* barrier, uint32& token) {
  if (backend::rank_in_block() != 0) return false;
  token = read_far(record_of_warp().arrival);
  return read_far(record_of_warp().arrived_at) == note_of(reinterpret_cast<uintptr>(barrier), owner_of_warp());
}
// Records an arrival of this block at a grid_barrier or a peer_barrier.
CUDASYNC_DEVICE void note_arrival(target::sm70, const void* barrier, uint32 token) {
  if (backend::rank_in_block() != 0) return;
  shared_by_all(record_of_warp().arrival) = token;
  shared_by_all(record_of_warp().arrived_at) = note_of(reinterpret_cast<uintptr>(barrier), owner_of_warp());
}
// Records that the block has waited for its arrival.
CUDASYNC_DEVICE void note_wait(target::sm70 here, const void* barrier) {
  uint32 token;
  if (find_arrival(here, barrier, token)) shared_by_all(record_of_warp().arrived_at) = 0;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
