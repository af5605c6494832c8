// Permits of semaphores that threads hold: their records, which also have the last arrival of a block, and causes.
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
inline __device__ __noinline__ void record_stored(const void* object) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  const uint64 mine = note_of(reinterpret_cast<uintptr>(object), owner_of_warp());
  const uint64 before = read_near(warp.given[1][lane]);
  if (before == mine) return;
  write_near(warp.given[2][lane], before);
  write_near(warp.given[1][lane], mine);
  shared_by_all(warp.has_given) = 1;
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

CUDASYNC_DEVICE void note_stored(target::sm70, const void* object) {
  pointer_to<record_stored>()(object);
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

// --- Causes ---

struct permit_holder {
  uint64 address;  // of the semaphore
  uint64 block;
  uint64 from;     // its last call
  uint64 taken;    // the site of its acquire
  subject waits;   // what it waits for; no bits: nothing
  uint32 rank;     // of the thread
  uint32 held;     // permits of the semaphore that are known to be held
  uint32 idle;     // of them, by threads that wait for nothing
  uint32 wanting;  // and by threads that wait for another one
};

inline constexpr uint32 most_holders = 8;

struct chain_of_holders {
  permit_holder holders[most_holders];
  uint32 length;
};

CUDASYNC_DEVICE_VARIABLE chain_of_holders permit_chain;

// The owner of the calls of a lane, if it holds a permit of the semaphore; otherwise 0.
CUDASYNC_DEVICE uint32 owner_of_permit(const warp_record& warp, uint32 lane, uint64 address) {
  const uint32 apart = static_cast<uint32>(read_far(warp.calls[lane].stamp) >> 32);
  const uint32 together = static_cast<uint32>(read_far(warp.calls[32].stamp) >> 32);
  const uint64 first = read_far(warp.held[0][lane]);
  const uint64 second = read_far(warp.held[1][lane]);
  if (first == note_of(address, apart) || second == note_of(address, apart)) return apart;
  if (first == note_of(address, together) || second == note_of(address, together)) return together;
  return 0;
}

// Counts the permit of the semaphore that the lane holds. If the lane waits, or is the first one: this is the holder.
inline __device__ __noinline__ void look_at_lane(permit_holder& found, const warp_record& warp, uint32 lane) {
  const uint32 owner = owner_of_permit(warp, lane, found.address);
  uint64 from = last_call(warp, owner, lane).bits;
  const subject waits = read_far(warp.owner) == owner ? wait_of_lane(warp, lane, from) : subject{0};
  if (owner == 0 || (is_in_shared_memory(found.address) && owner >> 5 != tag_of_block())) return;
  ++found.held;
  if (waits.bits == 0) ++found.idle;
  if (waits.what() == kind::semaphore && waits.address() == found.address) ++found.wanting;
  if (found.waits.bits != 0 || (found.rank != not_counted && waits.bits == 0)) return;
  found.block = block_with_tag(owner >> 5);
  found.from = from;
  found.taken = read_far(warp.held_from[read_far(warp.held[0][lane]) != note_of(found.address, owner)][lane]);
  found.waits = waits;
  found.rank = owner % 32 * 32 + lane;
}

// Finds a thread that holds a permit of the semaphore, preferably one that waits. Returns whether there is one.
inline __device__ __noinline__ bool find_holder(permit_holder& found, uint64 address) {
  found = {address, 0, 0, 0, {0}, not_counted, 0, 0, 0};
  if (read_far(place_of_signal(address)) == signal_at(address)) return false;
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps) {
    if (read_far(warp.has_held) == 0) continue;
    CUDASYNC_NO_UNROLL
    for (uint32 lane = 0; lane < 32; ++lane)
      look_at_lane(found, warp, lane);
  }
  return found.rank != not_counted;
}

// Follows the waits from holder to holder. Returns the index of the first one of a circle, or the length of the chain.
inline __device__ __noinline__ uint32 follow_holders(uint64 address) {
  permit_chain.length = 0;
  while (permit_chain.length < most_holders) {
    permit_holder& next = permit_chain.holders[permit_chain.length];
    if (!find_holder(next, address)) break;
    ++permit_chain.length;
    if (next.waits.what() != kind::semaphore) break;
    address = next.waits.address();
    CUDASYNC_NO_UNROLL
    for (uint32 index = 0; index < permit_chain.length; ++index)
      if (permit_chain.holders[index].address == address) return index;
  }
  return permit_chain.length;
}

// Whether the thread that holds the permit is known, and does not wait, or waits for a permit that is held in a circle.
inline __device__ __noinline__ bool is_holder_idle(subject what) {
  const uint32 begin = follow_holders(what.address());
  return permit_chain.length != 0 &&
         (begin + 1 < permit_chain.length || permit_chain.holders[permit_chain.length - 1].waits.bits == 0);
}

CUDASYNC_DEVICE subject semaphore_at(uint64 address) {
  return subject::of(kind::semaphore, address);
}

inline __device__ __noinline__ void say_circle_of_permits(uint32 begin) {
  record_cause(cause::permits_in_a_circle, semaphore_at(permit_chain.holders[begin].address));
  say("{C}permits are taken in different orders");
  CUDASYNC_NO_UNROLL
  for (uint32 index = begin; index < permit_chain.length; ++index) {
    const permit_holder& each = permit_chain.holders[index];
    say(index == begin ? ": thread {n} of block {b}" : "; thread {n} of block {b}", each.rank, each.block);
    say(" holds {i} and waits for {i} at {f}", semaphore_at(each.address), each.waits, each.from);
  }
  say("{R}let all threads take the permits in the same order, for example that of their addresses{.}");
}

// If the thread that waits holds a permit of another semaphore, for which other threads wait.
inline __device__ __noinline__ bool say_other_permit(const permit_holder& last) {
  permit_holder other;
  const waiting_group* const at = find_group([&](const waiting_group& each) {
    return each.what.what() == kind::semaphore && each.what.address() != last.address &&
           find_holder(other, each.what.address()) && other.rank == last.rank && other.block == last.block;
  });
  if (at == nullptr) return false;
  mark_as_explained(at->what);
  say(" and waits for another one of it at {f}; it also holds {i}, for which ", last.from, at->what);
  say_waiting(*at);
  say("{f}{R}take the permit of {i} before that of {i}, so that threads that release the first one do not wait for the "
      "second one{.}",
      at->from, semaphore_at(last.address), at->what);
  return true;
}

// Says what the thread that holds the permit does. Returns false if no holder is known, or its wait has no known cause.
inline __device__ __noinline__ bool explain_permits(subject what) {
  const uint32 begin = follow_holders(what.address());
  if (permit_chain.length == 0) return false;
  const permit_holder& last = permit_chain.holders[permit_chain.length - 1];
  CUDASYNC_NO_UNROLL
  for (uint32 index = 0; index < permit_chain.length; ++index)
    mark_as_explained(semaphore_at(permit_chain.holders[index].address));
  if (begin + 1 < permit_chain.length) return say_circle_of_permits(begin), true;
  record_cause(cause::no_permit, semaphore_at(last.address));
  record_numbers(number::block, last.block, number::rank, last.rank);
  say("{C}thread {n} of block {b} holds a permit of {i}, taken at {f},", last.rank, last.block,
      semaphore_at(last.address), last.taken);
  if (begin < permit_chain.length && say_other_permit(last)) return true;
  if (begin < permit_chain.length)
    say(" and waits for another one of it at {f}; no other thread has released one for it", last.from);
  else if (last.waits.bits != 0)
    say(" and waits for {o} at {f}", last.waits, last.from);
  else
    say(" and does not wait (last call: {f})", last.from);
  const bool do_all_want = last.held > 1 && last.wanting == last.held;
  if (last.held > 1) say("; of its permits, {n} are known to be held", last.held);
  if (do_all_want) say(", each by a thread that waits for another one of it");
  if (last.held > 1 && last.idle != 0) say(", {n} of them by threads that wait for nothing or have ended", last.idle);
  if (begin < permit_chain.length && last.taken != last.from && last.held == 1)
    say("{R}take it once if both acquires are of the same object{.}");
  else if (do_all_want)
    say("{R}let a lock guard all acquires of a thread, or release the permit before the next acquire, or construct the "
        "semaphore with more permits than these threads take before one of them has all that it needs{.}");
  else if (begin < permit_chain.length)
    say("{R}release the permit before the next acquire, on every path, also before a return{s}. If the permits are "
        "signals, let the threads for which it waits release this semaphore{.}",
        last.held > 1 ? "; if several threads take more than one, let a lock guard all of their acquires" : "");
  else if (last.waits.bits != 0)
    say("{R}release the permit before that wait, or find out why it does not end{.}");
  else
    say("{R}release the permit on every path out of the critical section, also before a return; if the thread waits "
        "outside this library, for example at __syncthreads(), or at __syncwarp() with other lanes that want a permit, "
        "release it before{.}");
  return true;
}

// By how many the acquires of a thread of this block exceed its releases, of all semaphores.
inline __device__ __noinline__ uint32 permits_kept_by(uint32 rank) {
  const uint32 owner = tag_of_block() << 5 | rank / 32;
  CUDASYNC_NO_UNROLL
  for (const warp_record& warp : warps) {
    const uint64 kept = read_far(warp.kept[rank % 32]);
    if (kept >> 32 == owner) return static_cast<int32>(static_cast<uint32>(kept)) > 0 ? static_cast<uint32>(kept) : 0;
  }
  return 0;
}
// Says which of the waiting threads has kept the most permits. Returns its rank, or not_counted if there is none.
inline __device__ __noinline__ uint32 say_who_kept_permits() {
  uint32 rank = not_counted;
  uint32 most = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 thread = 0; thread < threads_of_block(); ++thread) {
    const uint32 kept = report.waiting.has(thread) ? permits_kept_by(thread) : 0;
    if (kept <= most) continue;
    most = kept;
    rank = thread;
  }
  if (rank == not_counted) return rank;
  const waiting_group& at = *find_group([rank](const waiting_group& each) { return each.set.has(rank); });
  say("{C}thread {n} has acquired {n} {permit|permits} more than it has released, and waits for {i} at {f}", rank, most,
      at.what, at.from);
  return rank;
}

// Names the threads of a group that wait for a semaphore, unless one of them is this thread.
inline __device__ __noinline__ void say_semaphore_of(const waiting_group& at, uint32 rank) {
  if (at.what.what() != kind::semaphore || at.threads == 0) return;
  if (!at.set.has(rank)) say("; {t} {waits|wait} for {i} at {f}", &at.set, at.what, at.from);
  mark_as_explained(at.what);
}

inline __device__ __noinline__ void say_signal(const waiting_group& at, uint64 value) {
  record_cause(cause::no_permit, at.what);
  record_number(number::threads, queue_for_permit::of(value).threads);
  uint32 rank = say_who_kept_permits();
  if (rank == not_counted) {
    rank = at.set.first();
    say("{C}no permit of {i} is left, and no thread releases one; {n} {thread waits|threads wait}", at.what,
        queue_for_permit::of(value).threads);
    givers found;
    if (collect_givers(found, at.what.address(), of_gifts) != 0)
      say("; thread {n} of block {b} has released it before", found.rank, found.block);
  }
  for_each_group([rank](const waiting_group& each) { say_semaphore_of(each, rank); });
  say("{R}the permits are signals, which other threads release: let these release one for each that they have "
      "acquired, on every path of their loops, and let both sides make the same number of rounds{.}");
}

// Threads release permits that others have taken. Returns false if it is not known. If one of them waits for a
// semaphore whose holders are known, that one is explained.
inline __device__ __noinline__ bool explain_signal(const waiting_group& at, uint64 value) {
  const uint64 address = at.what.address();
  if (read_far(place_of_signal(address)) != signal_at(address)) return false;
  if (find_group([address](const waiting_group& each) {
        return each.what.what() == kind::semaphore && each.what.address() != address && each.threads != 0 &&
               explain_permits(each.what);
      }))
    return true;
  say_signal(at, value);
  return true;
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
