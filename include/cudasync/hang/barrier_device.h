// Checks of barriers in shared memory: missing arrivals, and too many arrivals before they make the hardware trap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_BARRIER_DEVICE_H
#define CUDASYNC_HANG_BARRIER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/hang/watch_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/arithmetic.h>
#include <cudasync/ptx/special_registers.h>

// The record of a barrier (object_record) has what init was given and how often each thread and each warp has arrived.
// init writes the first part, each arrival its own word (attendance) and the report reads all. A word is written by one
// thread alone, through the L1 cache of the block's multiprocessor, with relaxed accesses of block scope.
// If nothing can be wrong with an arrival (plain_arrival), it only counts. Otherwise before_arrival checks it, and
// decides whether the lanes must arrive one by one, so that one too many is reported before the hardware traps.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// --- Arrivals ---

// Prints a report and ends the kernel. Defined in report_device.h.
CUDASYNC_REPORT void print_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals, uint32 lanes);

[[noreturn]] CUDASYNC_DEVICE void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals,
                                                  uint32 lanes) {
  pointer_to<print_too_many>()(bar, missing, arrivals, lanes);
  for (;;)
    __trap();
}

struct arrival {
  uint32 peers;        // lanes that arrive together on the barrier
  bool is_one_by_one;  // each lane alone, so that an arrival too many is seen before the hardware traps
  bool alternates;     // with other warps: the first since init of all these lanes, or after a drop
};

inline constexpr uint32 watched_arrivals = 4;  // the number of first arrivals of a thread that are made one by one
inline constexpr uint32 most_with_one_lock = 32;

CUDASYNC_DEVICE warp_attendance& warp_of(object_record& record) {
  return record.warps[backend::rank_in_block() / 32 % 32];
}

CUDASYNC_DEVICE uint32 sum_of_updates(uint32 lanes, uint32 update) {
  if (__any_sync(lanes, update != 1) == 0) return ptx::popc(lanes);
  uint32 sum = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 left = lanes; left != 0; left &= left - 1)
    sum += __shfl_sync(lanes, update, static_cast<int>(ptx::lowest_bit(left)));
  return sum;
}

// Records an arrival without a known init, if the block has lost no records. At bits of no barrier, it would trap.
inline __device__ __noinline__ void record_early_arrival(ptx::shared_address bar, uint32 update, uint32 peers) {
  __threadfence();  // a record that is gone was marked before
  if (!has_lost_records()) {
    object_record& record = *record_at(bar.value);
    atomicAdd(&record.early, update);
    shared_by_all(record.early_rank) = backend::rank_in_block();
    shared_by_all(record.early_from) = last_call(record_of_warp(), owner_of_warp(), own_lane()).bits;
  }
  const barrier_state state = state_of(barrier_target{}, bar);
  const uint32 arrivals = sum_of_updates(peers, update);
  if (arrivals > state.pending || (state.bits >> 32) == 0) report_too_many(bar, state.pending, arrivals, peers);
}

// An arrival that needs no check: the word is of this epoch, ready and of the phase before, and enough are missing.
struct plain_arrival {
  bool is_plain;
  uint64 after;  // the word after the arrival: an attendance

  CUDASYNC_DEVICE static plain_arrival look(ptx::shared_address bar, const object_record& record, const uint64& word,
                                            uint32 arrivals) {
    const uint64 bits = bits_of(barrier_target{}, bar);
    const object_state there{read_near(record.state)};
    const attendance before{read_near(word)};
    const uint32 difference = (static_cast<uint32>(before.bits) ^ static_cast<uint32>(there.bits) ^
                               (static_cast<uint32>(bits >> 32) & attendance::last_phase)) &
                              (attendance::epoch | attendance::is_checked | attendance::is_ready |
                               attendance::is_mixed | attendance::last_phase);
    const bool is_of_barrier = there.check() == check_of(bar.value);
    const bool is_expected = are_missing(barrier_target{}, bits, arrivals);
    return {is_of_barrier && difference == 0 && is_expected, before.after_plain_arrival().bits};
  }
};

// The word and the state of an arrival of all lanes together, which agree on whether it is plain.
CUDASYNC_DEVICE plain_arrival look_together(ptx::shared_address bar, uint64*& word) {
  const uint32 of_leader = __shfl_sync(all_lanes, bar.value, 0);
  object_record& record = *place_of(bar.value, 0);
  word = &warp_of(record).arrivals_together;
  const plain_arrival mine = plain_arrival::look(bar, record, *word, 32);
  return {__all_sync(all_lanes, mine.is_plain && of_leader == bar.value) != 0, mine.after};
}

// The same for lanes that arrive separately. Each lane decides for itself, because they must not wait for each other.
CUDASYNC_DEVICE plain_arrival look_alone(ptx::shared_address bar, uint32 lanes, uint64*& word) {
  object_record& record = *place_of(bar.value, 0);
  word = &warp_of(record).arrivals[own_lane()];
  return plain_arrival::look(bar, record, *word, ptx::popc(lanes));
}

// What an arrival that is not plain adds to the words of its thread and its warp.
struct counted_arrival {
  uint32 update;
  uint32 phase;  // attendance::last_phase for parity 1, 0 for parity 0
  uint32 flags;  // attendance::has_dropped: it is a drop; attendance::is_ready: the next arrival may be plain

  // The word of the thread, or of the warp, after the arrival. others: the word of the warp, if a lane arrives alone.
  CUDASYNC_DEVICE attendance added_to(attendance before, attendance others) const {
    attendance after = before.with_misuse(phase).without(attendance::last_phase | attendance::is_ready);
    if (others.has_arrived(phase)) after = after.with(attendance::twice_in_a_phase);
    after = after.with(flags & attendance::has_dropped);
    if (others.arrivals() == 0 && !after.has(attendance::is_mixed | attendance::has_dropped))
      after = after.with(flags & attendance::is_ready);
    return {(after.bits | phase) + update * attendance::one};
  }

  // A lane arrives alone: its own word counts the arrival, and the warp's word remembers that lanes differ.
  CUDASYNC_DEVICE void count_in_lane(warp_attendance& warp, attendance alone, attendance together) const {
    write_near(warp.arrivals[own_lane()], added_to(alone, together).bits);
    if (!together.has(attendance::is_mixed))
      write_near(warp.arrivals_together, together.with(attendance::is_mixed).without(attendance::is_ready).bits);
  }
  // All lanes arrive together, each once: the warp's word counts the arrival, and a lane's own word keeps its misuse.
  CUDASYNC_DEVICE void count_in_warp(warp_attendance& warp, attendance alone, attendance together) const {
    const attendance seen = alone.with_misuse(phase);
    if (seen.bits != alone.bits) write_near(warp.arrivals[own_lane()], seen.bits);
    const counted_arrival one{1, phase, flags & attendance::is_ready};
    if (own_lane() == 0) write_near(warp.arrivals_together, one.added_to(together, {0}).bits);
  }
};

// Whether a consumer, after earlier arrivals, releases a stage twice in a round. If groups of consumers take turns,
// more threads arrive than a phase expects. All lanes vote, because each has read a state of its own.
inline __device__ __noinline__ bool is_second_release(const object_record& record, uint32 earlier, bool is_odd,
                                                      uint32 peers) {
  const uint32 who = read_near(reinterpret_cast<const uint32&>(record.who));
  const bool may_be_second = who == static_cast<uint32>(role::producer) && record.is_readable != 0 && earlier != 0 &&
                             (earlier % 2 != 0) != is_odd;
  return __any_sync(peers, may_be_second) != 0 &&
         __any_sync(peers, may_be_second && arrivers_at(record) <= record.expected) != 0;
}

// After an arrival of a thread that has dropped, every arrival at the barrier is checked: it may be one too many.
CUDASYNC_DEVICE bool is_always_checked(const object_record& record) {
  return (read_near(record.state) & attendance::is_checked) != 0;
}

// Counts the arrival in the words of the thread or its warp. phase: attendance::last_phase for parity 1, otherwise 0.
// Returns the number of earlier arrivals. A function of its own: before sm_90, votes of some lanes are calls.
inline __device__ __noinline__ uint32 count_arrival(object_record& record, uint32 phase, uint32 update, bool is_drop,
                                                    uint32 peers) {
  warp_attendance& warp = warp_of(record);
  const attendance together = in_epoch(record, read_near(warp.arrivals_together));
  const attendance alone = in_epoch(record, read_near(warp.arrivals[own_lane()]));
  const uint32 earlier = together.arrivals() + alone.arrivals();
  const bool is_ready = record.is_readable != 0 && earlier + 1 >= watched_arrivals;
  const counted_arrival counted{update, phase,
                                (is_drop ? attendance::has_dropped : 0) | (is_ready ? attendance::is_ready : 0)};
  if (is_drop) atomicAdd(&record.drops, 1u);
  if (alone.has(attendance::has_dropped)) write_near(record.state, read_near(record.state) | attendance::is_checked);
  __syncwarp(peers);  // all lanes have read the words
  if (peers == all_lanes && __all_sync(all_lanes, update == 1 && !is_drop) != 0)
    counted.count_in_warp(warp, alone, together);
  else
    counted.count_in_lane(warp, alone, together);
  return earlier;
}

// If more lanes arrive together than are missing, the hardware ends the kernel, so the state is checked before. Another
// warp may arrive in between, so the first arrivals are made one by one, and drops, after which fewer are expected.
inline __device__ __noinline__ arrival check_arrival(object_record& record, ptx::shared_address bar, uint32 update,
                                                     bool is_drop, uint32 peers) {
  const barrier_state state = state_of(barrier_target{}, bar);
  const uint32 earlier = count_arrival(record, state.parity ? attendance::last_phase : 0, update, is_drop, peers);
  const bool is_readable = record.is_readable != 0;
  const uint32 arrivals = sum_of_updates(peers, update);
  if (is_readable && arrivals > state.pending) report_too_many(bar, state.pending, arrivals, peers);
  const bool is_watched = is_readable && (is_always_checked(record) || is_drop || earlier < watched_arrivals ||
                                          (arrivals > 1 && peers != all_lanes));
  const bool alternates = __all_sync(peers, earlier == 0) != 0 || __any_sync(peers, is_always_checked(record)) != 0;
  // The arrivals of other warps may be as many as are still missing, now or with these.
  const bool may_complete = arrivals + 32 > state.pending || state.pending - arrivals < threads_of_block();
  const arrival made{peers, is_watched && may_complete, alternates};
  if (is_second_release(record, is_drop || state.pending >= record.expected ? 0 : earlier, state.parity, peers))
    report_too_many(bar, state.pending, arrivals, peers);
  return made;
}

// Records an arrival that may not be plain. lanes: those that were active together in the calling function. Lanes from
// another function may be active here, too, but they go back to theirs, so they must not wait for each other.
inline __device__ __noinline__ arrival before_arrival(ptx::shared_address bar, uint32 update, bool is_drop,
                                                      uint32 lanes) {
  // Lanes that make other calls are not peers. Addresses are multiples of 8.
  const bool is_one = update == 1 && !is_drop;
  const uint32 peers = __match_any_sync(lanes, bar.value | (is_drop ? 2 : 0) | (is_one ? 1 : 0));
  uint64* own_word;
  const plain_arrival plain = look_alone(bar, lanes, own_word);
  if (is_one && ptx::popc(lanes) == 1 && plain.is_plain) {
    write_near(*own_word, plain.after);
    return {peers, false, false};
  }
  // All lanes vote, because another block can take the record while they look.
  object_record* const record = find(bar.value);
  if (__all_sync(peers, record != nullptr && record->times != 0) == 0) {
    record_early_arrival(bar, update, peers);
    return {peers, false, true};
  }
  return check_arrival(*record, bar, update, is_drop, peers);
}

// The lock of arrivals that are made one by one, because the hardware combines those of diverged lanes. If few arrivals
// are expected, or a thread makes several, the block has one: two warps cannot both take the last place. Or null.
inline __device__ __noinline__ uint32* lock_of_arrivals(ptx::shared_address bar, uint32 peers, uint32 update) {
  object_record* const record = find(bar.value);
  if (__all_sync(peers, record != nullptr) != 0 &&
      (__any_sync(peers, update != 1) != 0 || record->expected <= most_with_one_lock || is_always_checked(*record)))
    return &record->lock;
  return peers != all_lanes ? &record_of_warp().lock : nullptr;
}
CUDASYNC_DEVICE void take(uint32* lock) {
  if (lock == nullptr) return;
  while (atomicExch(lock, 1u) != 0)
    __nanosleep(20);
  __threadfence_block();
}
CUDASYNC_DEVICE void give(uint32* lock) {
  if (lock == nullptr) return;
  __threadfence_block();
  atomicExch(lock, 0u);
}

template <class Arrive>
__device__ __noinline__ uint64 arrive_slowly(ptx::shared_address bar, uint32 update, bool is_drop, Arrive arrive) {
  if (is_drained()) return 0;  // no thread waits any more, and an arrival too many would end the kernel
  CUDASYNC_LANES_HERE(lanes);
  const arrival mine = pointer_to<before_arrival>()(bar, update, is_drop, lanes);
  if (!__any_sync(mine.peers, mine.is_one_by_one)) return arrive();
  // The first arrivals of two warps alternate, which shows if there are more of them than the barrier expects. So do
  // those at a barrier that a thread uses after its drop. Others keep the lock for the warp.
  uint32* const lock = lock_of_arrivals(bar, mine.peers, update);
  uint32* const lock_of_lane = mine.alternates ? lock : nullptr;
  uint32* const lock_of_all = mine.alternates || (mine.peers & ptx::get_sreg_lanemask_lt()) != 0 ? nullptr : lock;
  take(lock_of_all);
  __syncwarp(mine.peers);
  uint64 token = 0;
  uint32 before = 0;
  uint32 done = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 left = mine.peers; left != 0; left &= left - 1, ++done) {
    const int lane = static_cast<int>(ptx::lowest_bit(left));
    uint32 phase = 0;
    if (static_cast<int>(own_lane()) == lane) {
      take(lock_of_lane);
      const barrier_state state = state_of(barrier_target{}, bar);
      phase = 1 + state.parity;
      if (update > state.pending) report_too_many(bar, state.pending, update, mine.peers);
      token = arrive();
      give(lock_of_lane);
    }
    phase = __shfl_sync(mine.peers, phase, lane);
    if (done != 0 && phase != before) report_too_many(bar, done, ptx::popc(mine.peers), mine.peers);
    before = phase;
  }
  __syncwarp(mine.peers);
  give(lock_of_all);
  return token;
}

struct made_arrival {
  uint64 token;
  bool is_plain;  // made by all lanes of the warp, which do not need a check; the call is not recorded yet
  uint64 stamp;   // of the call, if is_plain
};

// Makes the arrival, and records it. arrive: makes the arrival as in the release build, and returns the token.
template <class Arrive>
CUDASYNC_DEVICE made_arrival make_arrival(ptx::shared_address bar, uint32 update, bool is_drop, caller where,
                                          Arrive arrive) {
  if (!is_drop && update == 1) {
    CUDASYNC_LANES_HERE(lanes);
    if (lanes == all_lanes) {
      shake();
      const uint64 stamp = stamp_now();
      uint64* word;
      const plain_arrival mine = look_together(bar, word);
      if (__builtin_expect(mine.is_plain, true)) {
        const uint64 token = arrive();
        write_near_if(own_lane() == 0, *word, mine.after);
        return {token, true, stamp};
      }
    }
  }
  record_call(where);
  return {pointer_to<arrive_slowly<Arrive>>()(bar, update, is_drop, arrive), false, 0};
}

template <class Arrive>
CUDASYNC_DEVICE uint64 arrive_on(ptx::shared_address bar, uint32 update, bool is_drop, caller where, Arrive arrive) {
  const made_arrival made = make_arrival(bar, update, is_drop, where, arrive);
  record_call_together_if(made.is_plain, made.stamp, where);
  return made.token;
}

// For an arrival that usually one lane of a warp makes. The caller records the call.
template <class Arrive>
CUDASYNC_DEVICE uint64 arrive_alone_on(ptx::shared_address bar, uint32 update, Arrive arrive) {
  CUDASYNC_LANES_HERE(lanes);
  if (update == 1 && lanes != all_lanes) {
    uint64* word;
    const plain_arrival mine = look_alone(bar, lanes, word);
    if (__builtin_expect(mine.is_plain, true)) {
      const uint64 token = arrive();
      write_near(*word, mine.after);
      return token;
    }
  }
  return pointer_to<arrive_slowly<Arrive>>()(bar, update, false, arrive);
}

// Records an arrival that is made without a check of the state. Each lane records its own arrival.
CUDASYNC_DEVICE void record_arrival(object_record& record) {
  uint64& mine = warp_of(record).arrivals[own_lane()];
  write_near(mine, in_epoch(record, read_near(mine)).with_one_more().bits);
}
CUDASYNC_DEVICE void record_arrival(ptx::shared_address bar) {
  if (object_record* const record = find(bar.value)) record_arrival(*record);
}

// Reports lanes that make more arrivals than the barrier of that block expects. Defined in report_device.h.
CUDASYNC_REPORT void check_sent(ptx::shared_address own, uint32 block_rank, uint32 update, uint32 lanes);

// Records an arrival at the barrier at the same address in another block, which usually expects as many.
CUDASYNC_DEVICE void record_sent(ptx::shared_address own, uint32 block_rank, uint32 update) {
  CUDASYNC_LANES_HERE(lanes);
  object_record* const record = find(own.value);
  if (record != nullptr) atomicAdd(&record->sent[block_rank % most_blocks_of_cluster], update);
  // Of other lanes, the update or the record may be another one. check_sent needs all.
  const bool may_be_too_many = record != nullptr && ptx::popc(lanes) * update > record->expected;
  if (__any_sync(lanes, may_be_too_many) != 0) pointer_to<check_sent>()(own, block_rank, update, lanes);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
