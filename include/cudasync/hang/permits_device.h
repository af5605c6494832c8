// The records of permits of semaphores that threads hold, of what they have given, and of the last arrival of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_PERMITS_DEVICE_H
#define CUDASYNC_HANG_PERMITS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/givers_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/record_data_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/waiting_groups_device.h>
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
  shared_by_all(warp.held_from[1][lane]) = read_far(warp.held_from[0][lane]);
  shared_by_all(warp.held_from[0][lane]) = last_call(warp, owner_of_warp(), lane).bits;
  shared_by_all(warp.has_held) = 1;
}

// Records that the thread has counted down a latch, released a permit, or notified those that wait for an atomic.
inline __device__ __noinline__ void record_given(const void* object) {
  warp_record& warp = record_of_warp();
  shared_by_all(warp.given[0][own_lane()]) = note_of(reinterpret_cast<uintptr>(object), owner_of_warp());
  shared_by_all(warp.has_given) = 1;
}

// Records that the thread has stored to an atomic. Most threads store to the same one again.
inline __device__ __noinline__ void record_store(const void* object, uint64 value, uint64 from) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  const uint64 mine = note_of(reinterpret_cast<uintptr>(object), owner_of_warp());
  const uint64 before = read_near(warp.given[1][lane]);
  if (before != mine) {
    write_near(warp.given[2][lane], before);
    write_near(warp.stored_from[1][lane], read_near(warp.stored_from[0][lane]));
    write_near(warp.stored_at[1][lane], read_near(warp.stored_at[0][lane]));
    write_near(warp.given[1][lane], mine);
    shared_by_all(warp.has_given) = 1;
  }
  const bool has_waited = read_near(warp.awaited[lane]) == awaited_of(mine);
  write_near(warp.awaited[lane], 0);
  write_near(warp.stored_from[0][lane], from);
  write_near(warp.stored_at[0][lane], noted_store::when(value, has_waited));
}
// Records that the thread waits for an atomic.
inline __device__ __noinline__ void record_awaited(const void* object) {
  write_near(record_of_warp().awaited[own_lane()],
             awaited_of(note_of(reinterpret_cast<uintptr>(object), owner_of_warp())));
}

// An object in shared memory has a record if it was initialized or, with a use before that, if it was used.
inline __device__ __noinline__ void make_record_of(const void* object) {
  static_cast<void>(record_at(ptx::to_shared(object).value));
}
inline __device__ __noinline__ bool is_used_before_init(const void* object) {
  if (const object_record* const found = find_slowly(ptx::to_shared(object).value)) return read_far(found->early) != 0;
  object_record& record = *record_at(ptx::to_shared(object).value);
  shared_by_all(record.early_from) = last_call(record_of_warp(), owner_of_warp(), own_lane()).bits;
  shared_by_all(record.early_rank) = backend::rank_in_block();
  shared_by_all(record.early) = 1;
  return true;
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
    shared_by_all(warp.held_from[0][lane]) = read_far(warp.held_from[1][lane]);
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

template <class Value>
CUDASYNC_DEVICE void note_stored(target::sm70 here, const void* object, const Value& value, caller where) {
  pointer_to<record_store>()(object, number_of(here, value, 0), site::of(where).bits);
}
CUDASYNC_DEVICE void note_awaited(target::sm70, const void* object, caller where) {
  record_call(where);
  pointer_to<record_awaited>()(object);
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
// Records that this block arrives at a grid_barrier, as one of several participants.
inline __device__ __noinline__ void record_round(const void* barrier, uint32 rank, uint32 participants, uint64 from) {
  warp_record& warp = record_of_warp();
  const uint64 mine = note_of(reinterpret_cast<uintptr>(barrier), owner_of_warp());
  const bool is_first = read_far(warp.round_at) != mine;
  const uint32 before = is_first ? participants : read_far(warp.participants);
  if (is_first) shared_by_all(warp.others) = 0;
  if (before != participants) {
    shared_by_all(warp.others) = before;
    shared_by_all(warp.other_from) = read_far(warp.round_from);
  }
  shared_by_all(warp.round_at) = mine;
  shared_by_all(warp.round_from) = from;
  shared_by_all(warp.rounds) = is_first ? 1 : read_far(warp.rounds) + 1;
  shared_by_all(warp.participants) = participants;
  shared_by_all(warp.round_rank) = rank;
}
template <class Share>
CUDASYNC_DEVICE void note_round(target::sm70, const void* barrier, Share share, caller where) {
  if (backend::rank_in_block() == 0) pointer_to<record_round>()(barrier, share.rank, share.count, site::of(where).bits);
}
CUDASYNC_DEVICE void note_wait(target::sm70 here, const void* barrier) {
  uint32 token;
  if (find_arrival(here, barrier, token)) shared_by_all(record_of_warp().arrived_at) = 0;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
