// The records of permits that threads hold, of what they have given or stored, and of the last arrival of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_PERMITS_DEVICE_H
#define CUDASYNC_HANG_PERMITS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/report_data.h>
#include <cudasync/hang/sentence_device.h>
#include <cudasync/hang/waiting_groups_device.h>
#include <cudasync/thread/elect.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// A note about a warp and an object in any memory: the owner in the upper half, a hash of the address, which is odd, in
// the lower half. Notes of earlier kernels remain, so a note has all bits of the owner. address: 48 bits.
CUDASYNC_DEVICE uint64 note_of(uint64 address, uint32 owner) {
  return uint64{owner} << 32 | static_cast<uint32>(address >> 1 ^ address << 16 >> 48) | 1;
}
CUDASYNC_DEVICE bool is_note_of(uint64 address, uint64 note) {
  return note == note_of(address, static_cast<uint32>(note >> 32));
}

CUDASYNC_DEVICE uint64 blocks_of_grid() {
  return uint64{gridDim.x} * gridDim.y * gridDim.z;
}

// The number of the block with this tag, or end if none of the blocks before it has it.
inline __device__ __noinline__ uint64 find_tag(uint32 tag, uint64 end) {
  uint64 block = 0;
  CUDASYNC_NO_UNROLL
  while (block < end && tag_of(owner_of(block)) != tag)
    ++block;
  return block;
}
CUDASYNC_DEVICE uint64 block_with_tag(uint32 tag) {
  return find_tag(tag, blocks_of_grid() - 1);
}

// The threads that have last counted down a latch, released a permit, or notified or stored to an atomic.
// report.arrived: those of this block; report.twice: the numbers of their blocks, modulo most_threads.
struct givers {
  uint64 address;
  uint64 block;  // of the last giver: one that does not wait in this block, if there is any
  uint32 owner;  // of its warp
  uint32 rank;
  uint32 threads;
  uint32 waiting;  // of them, threads that wait for this object themselves
  uint32 blocked;  // of them, threads that wait for any semaphore
};

inline __device__ __noinline__ void look_at_giver(givers& found, uint64 given, uint32 lane) {
  const uint32 owner = static_cast<uint32>(given >> 32);
  if (given != note_of(found.address, owner)) return;
  const bool is_here = owner >> 5 == tag_of_block();
  const uint64 block = is_here ? block_number() : owner == found.owner ? found.block : block_with_tag(owner >> 5);
  if (tag_of(owner_of(block)) != owner >> 5 || (is_in_shared_memory(found.address) && !is_here)) return;
  const uint32 rank = owner % 32 * 32 + lane;
  report.twice.add(static_cast<uint32>(block));
  if (is_here) report.arrived.add(rank);
  if (found.threads++ != 0 && is_here && report.waiting.has(rank)) return;
  found.block = block;
  found.owner = owner;
  found.rank = rank;
}

// Counts the lane if it has given, and if it waits for the same object.
inline __device__ __noinline__ void count_giver(givers& found, const warp_record& warp, uint32 row, uint32 lane) {
  const uint32 before = found.threads;
  const uint64 given = read_far(warp.given[row][lane]);
  look_at_giver(found, given, lane);
  if (found.threads == before || read_far(warp.owner) != given >> 32) return;
  uint64 from;
  const subject awaited = wait_of_lane(warp, lane, from);
  found.waiting += awaited.address() == found.address;
  found.blocked += awaited.what() == kind::semaphore;
}

inline __device__ __noinline__ uint32 collect_givers(givers& found, uint64 address, notes rows) {
  found = {address, 0, 0, 0, 0, 0, 0};
  report.arrived.clear();
  report.twice.clear();
  for_each_note(&warp_record::has_given, rows,
                [&found](const warp_record& warp, uint32 row, uint32 lane) { count_giver(found, warp, row, lane); });
  return found.threads;
}

inline __device__ __noinline__ void say_last_giver(const givers& found) {
  say(", for example thread {n} of block {b} (last call: {f})", found.rank, found.block,
      last_call_in_block(found.block, found.rank).bits);
  if (report.number_of_groups == 1) say("; no thread waits for anything else");
}

// --- Values that are stored over before a wait finds them ---

// The last store of a thread to an atomic, or its last addition.
struct noted_store {
  uint64 block;
  uint64 from;      // its site, or what additions since the last store have done; 0: there is none
  uint64 waits_at;  // where the thread waits for that atomic now; 0: it does not
  subject waits;    // for what else it waits now, at waits_from; no bits: nothing
  uint64 waits_from;
  uint32 rank;
  uint32 value;  // or unknown
  uint32 time;   // bit 0: the thread has waited for the atomic since its store before
  uint32 found;  // by the first of the additions, or unknown; of a store: 1 if it was an exchange

  // Additions, compare-exchanges and bitwise operations: their number in the lower 12 bits, above it their sum plus
  // 2^15, and whether one was a compare-exchange, or of bits. Amounts above 7 count as 0, changes of bits as 1.
  static constexpr uint64 most_calls = 4095;
  static constexpr uint64 nothing_added = uint64{1} << 27;
  static constexpr uint64 by_exchange = uint64{1} << 28;
  static constexpr uint64 of_bits = uint64{1} << 29;
  static constexpr uint64 most_additions = 2 * of_bits - 1;
  static constexpr uint32 unknown = ~uint32{0};
  // The word of the records: the value, and the time in units of 512 ns.
  CUDASYNC_DEVICE static uint64 when(uint64 value, bool has_waited) {
    return uint64{known(value)} << 32 | (static_cast<uint32>(ptx::get_sreg_globaltimer() >> 8) & ~uint32{1}) |
           has_waited;
  }
  CUDASYNC_DEVICE static bool are_additions(uint64 from) { return from - 1 < most_additions; }
  CUDASYNC_DEVICE static uint64 of_change(uint64 before, uint64 after, change how) {
    if (how == change::of_bits) return 1 + nothing_added + of_bits + (uint64{before != after} << 12);
    const int32 sum = static_cast<int32>(static_cast<uint32>(after) - static_cast<uint32>(before));
    return 1 + nothing_added + (how == change::exchange ? by_exchange : 0) +
           (-8 < sum && sum < 8 ? static_cast<uint64>(int64{sum}) << 12 : 0);
  }
  CUDASYNC_DEVICE static uint64 both(uint64 before, uint64 from) {
    if (!are_additions(from) || !are_additions(before)) return from;
    if ((before & most_calls) == most_calls) return before;
    constexpr uint64 flags = by_exchange | of_bits;
    return (((before & ~flags) + (from & ~flags)) - nothing_added) | ((before | from) & flags);
  }
  CUDASYNC_DEVICE static int32 sum_of(uint64 from) { return static_cast<int32>(from >> 12 & 0xffff) - 0x8000; }
  CUDASYNC_DEVICE static uint32 known(uint64 value) { return static_cast<uint32>(value < unknown ? value : unknown); }
  CUDASYNC_DEVICE bool is_exchange() const {
    return are_additions(from) ? (from & by_exchange) != 0 : from != 0 && found == 1;
  }
  // The clock ticks once a microsecond on some GPUs, and a change is not made when it is noted.
  CUDASYNC_DEVICE bool is_surely_before(const noted_store& other) const {
    return static_cast<int32>(other.time - time) > 16;
  }
};

CUDASYNC_DEVICE uint32 awaited_of(uint64 note) {
  return static_cast<uint32>(note) ^ static_cast<uint32>(note >> 32);
}

// --- Records of calls ---

// The addresses of semaphores that threads release without a permit: they are signals, and have no holders.
CUDASYNC_DEVICE_VARIABLE uint64 signals[1024];

CUDASYNC_DEVICE uint64& place_of_signal(uint64 address) {
  return signals[(address >> 2 ^ address >> 12) % 1024];
}

// The word in place_of_signal.
CUDASYNC_DEVICE uint64 signal_at(uint64 address) {
  return address << 16 | 1;
}

// The permits of a semaphore in this kernel: 63..52 grid, 51..32 a hash of the address, ones for several, 31..0 number.
CUDASYNC_DEVICE_VARIABLE uint64 permits_acquired[1024];
CUDASYNC_DEVICE_VARIABLE uint64 permits_released[1024];
inline constexpr uint32 several_semaphores = 0xfffff;

CUDASYNC_DEVICE uint32 tag_of_permits(uint64 address) {
  const uint32 hash = static_cast<uint32>(address >> 2) ^ (is_in_shared_memory(address) ? owner_of_block() : 0);
  return grid_number() << 20 | (hash & several_semaphores);
}
CUDASYNC_DEVICE void add_permits(uint64 (&all)[1024], uint64 address, uint32 number) {
  const uint32 tag = tag_of_permits(address);
  uint64& place = all[(tag ^ tag >> 10) % 1024];
  for (uint64 before = read_far(place);;) {
    const uint32 other = static_cast<uint32>(before >> 32) ^ tag;
    const uint64 after = other == 0                          ? before + number
                         : before != 0 && (other >> 20) == 0 ? uint64{tag | several_semaphores} << 32
                                                             : uint64{tag} << 32 | number;
    const uint64 found = atomicCAS(reinterpret_cast<unsigned long long*>(&place), before, after);
    if (found == before) return;
    before = found;
  }
}
CUDASYNC_DEVICE uint32 permits_in(const uint64 (&all)[1024], uint64 address) {
  const uint32 tag = tag_of_permits(address);
  const uint64 word = read_far(all[(tag ^ tag >> 10) % 1024]);
  return word >> 32 == tag ? static_cast<uint32>(word) : not_counted;
}

inline __device__ __noinline__ void say_permits_of(subject what) {
  const uint32 acquired = permits_in(permits_acquired, what.address());
  const uint32 released = permits_in(permits_released, what.address());
  if (acquired != not_counted && released <= acquired)
    say("; in this kernel, {n} {permit of it was|permits of it were} released, and {n} acquired", released, acquired);
}

// Of the two semaphores that a lane has noted, the place to has that of the place from.
CUDASYNC_DEVICE void move_held(warp_record& warp, uint32 lane, uint32 from, uint32 to) {
  shared_by_all(warp.held[to][lane]) = read_far(warp.held[from][lane]);
  shared_by_all(warp.held_from[to][lane]) = read_far(warp.held_from[from][lane]);
  shared_by_all(warp.permits[to][lane]) = read_far(warp.permits[from][lane]);
}

inline __device__ __noinline__ void record_permit(const void* semaphore) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  const uint64 mine = note_of(reinterpret_cast<uintptr>(semaphore), owner_of_warp());
  add_permits(permits_acquired, reinterpret_cast<uintptr>(semaphore), 1);
  const bool is_second = read_far(warp.held[1][lane]) == mine;
  if (!is_second && read_far(warp.held[0][lane]) != mine) {
    const bool is_full = read_far(warp.held[1][lane]) >> 32 == owner_of_warp();
    if (is_full || read_far(warp.has_held) == 0) shared_by_all(warp.has_held) = 1 + is_full;
    move_held(warp, lane, 0, 1);
    shared_by_all(warp.held[0][lane]) = mine;
    shared_by_all(warp.permits[0][lane]) = 0;
  }
  shared_by_all(warp.permits[is_second][lane]) = read_far(warp.permits[is_second][lane]) + 1;
  shared_by_all(warp.held_from[is_second][lane]) = last_call(warp, owner_of_warp(), lane).bits;
}

// Records that the thread has counted down a latch, released a permit, or notified those that wait for an atomic.
inline __device__ __noinline__ void record_given(const void* object) {
  warp_record& warp = record_of_warp();
  shared_by_all(warp.given[0][own_lane()]) = note_of(reinterpret_cast<uintptr>(object), owner_of_warp());
  shared_by_all(warp.has_given) = 1;
}

// Records that the thread has stored to an atomic. Most threads store to the same one again. found: by an addition.
inline __device__ __noinline__ void record_store(const void* object, uint64 value, uint64 from, uint64 found) {
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  const uint64 mine = note_of(reinterpret_cast<uintptr>(object), owner_of_warp());
  const uint64 before = read_near(warp.given[1][lane]);
  const uint64 times = before == mine ? read_near(warp.stored_from[0][lane]) : 0;
  if (before != mine) {
    write_near(warp.given[2][lane], before);
    write_near(warp.stored_from[1][lane], read_near(warp.stored_from[0][lane]));
    write_near(warp.stored_at[1][lane], read_near(warp.stored_at[0][lane]));
    write_near(warp.found[1][lane], read_near(warp.found[0][lane]));
    write_near(warp.given[1][lane], mine);
    shared_by_all(warp.has_given) = 1;
  }
  const bool has_waited = read_near(warp.awaited[lane]) == awaited_of(mine);
  if (has_waited) write_near(warp.awaited[lane], 0);
  const bool is_further = noted_store::are_additions(from) && noted_store::are_additions(times);
  if (!is_further) write_near(warp.found[0][lane], noted_store::known(found));
  write_near(warp.stored_from[0][lane], noted_store::both(times, from));
  write_near(warp.stored_at[0][lane], noted_store::when(value, has_waited));
}
// Records that the thread waits for an atomic.
inline __device__ __noinline__ void record_awaited(const void* object) {
  write_near(record_of_warp().awaited[own_lane()],
             awaited_of(note_of(reinterpret_cast<uintptr>(object), owner_of_warp())));
}

// Objects in shared memory other than mbarriers have a record after an init, which sets unused_count, or a use.
// Each init begins an epoch, and each thread notes its last use of the object, and its last wait for a latch.
inline __device__ __noinline__ void make_record_of(const void* object, uint64 from) {
  object_record& record = *record_at(ptx::to_shared(object).value);
  shared_by_all(record.unused_count) = used_count;
  shared_by_all(record.from) = from;
  shared_by_all(record.inits) = read_far(record.inits) + 1;
  write_near(record.state, object_state{read_near(record.state)}.next_epoch());
}
inline __device__ __noinline__ void record_wait_at(const void* object) {
  object_record* const record = find_slowly(ptx::to_shared(object).value);
  if (record == nullptr) return;
  uint32& mine = warp_of(*record).waits[own_lane()];
  const uint32 epoch = object_state{read_near(record->state)}.epoch();
  const uint32 inits = (epoch - read_near(mine)) & attendance::epoch;
  if (inits != 0) write_near(mine, epoch | 2 | (inits >> 8 == 1 ? wait_history::has_kept : 0));
}
inline __device__ __noinline__ bool is_used_before_init(const void* object) {
  if (object_record* const found = find_slowly(ptx::to_shared(object).value))
    return record_arrival(*found), read_far(found->early) != 0;
  object_record& record = *record_at(ptx::to_shared(object).value);
  shared_by_all(record.early_from) = last_call(record_of_warp(), owner_of_warp(), own_lane()).bits;
  shared_by_all(record.early_rank) = backend::rank_in_block();
  shared_by_all(record.early) = 1;
  return true;
}

inline __device__ __noinline__ void record_end_of_permit(const void* semaphore, uint32 update) {
  record_given(semaphore);
  warp_record& warp = record_of_warp();
  const uint32 lane = own_lane();
  const uint64 address = reinterpret_cast<uintptr>(semaphore);
  add_permits(permits_released, address, update);
  const uint64 mine = note_of(address, owner_of_warp());
  const bool is_second = read_far(warp.held[1][lane]) == mine;
  if (!is_second && read_far(warp.held[0][lane]) != mine) {
    if (read_far(warp.has_held) != 2 && read_far(place_of_signal(address)) != signal_at(address))
      shared_by_all(place_of_signal(address)) = signal_at(address);
    return;
  }
  const uint32 permits = read_far(warp.permits[is_second][lane]);
  if (permits > update) {
    shared_by_all(warp.permits[is_second][lane]) = permits - update;
  } else {
    if (!is_second) move_held(warp, lane, 1, 0);
    shared_by_all(warp.held[1][lane]) = 0;
  }
}

CUDASYNC_DEVICE void note_permit(target::sm70, const void* semaphore) {
  pointer_to<record_permit>()(semaphore);
}
CUDASYNC_DEVICE void note_release(target::sm70, const void* semaphore, ptrdiff_t update) {
  pointer_to<record_end_of_permit>()(semaphore, static_cast<uint32>(update));
}

template <class Value>
CUDASYNC_DEVICE void note_stored(target::sm70 here, const void* object, const Value& value, caller where,
                                 uint64 is_exchange = 0) {
  pointer_to<record_store>()(object, number_of(here, value, 0), site::of(where).bits, is_exchange);
}
// An exchange that changes nothing is a failed try to take a lock.
template <class Value>
CUDASYNC_DEVICE void note_exchanged(target::sm70 here, const void* object, const Value& old, const Value& value,
                                    caller where) {
  if (number_of(here, old, 0) == number_of(here, value, 0)) return;
  pointer_to<record_awaited>()(object);  // it has seen the value, like a wait
  note_stored(here, object, value, where, 1);
}
template <class Old, class Value>
CUDASYNC_DEVICE void note_changed(target::sm70 here, const void* object, const Old& old, const Value& value,
                                  change how) {
  const uint64 after = number_of(here, value, 0);
  const uint64 before = number_of(here, old, 0);
  pointer_to<record_store>()(object, after, noted_store::of_change(before, after, how), before);
}
CUDASYNC_DEVICE void note_awaited(target::sm70, const void* object, caller where, bool is_latch = false) {
  record_call(where);
  if (!is_latch || ptx::is_shared(object))
    (is_latch ? pointer_to<record_wait_at>() : pointer_to<record_awaited>())(object);
}
CUDASYNC_DEVICE void note_given(target::sm70, const void* object, caller where) {
  record_call(where);
  pointer_to<record_given>()(object);
}

// --- Arrivals of blocks ---

// Whether this is thread 0, whose block has last arrived at this barrier and not waited. token: of that arrival.
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
