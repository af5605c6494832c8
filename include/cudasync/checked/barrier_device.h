// Checks of barriers in shared memory: missing arrivals, and too many arrivals before they make the hardware trap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_BARRIER_DEVICE_H
#define CUDASYNC_CHECKED_BARRIER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/checked/registry_device.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/bits.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/red.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// The state of an mbarrier, from its 64 bits. Their format is opaque, so init tests whether it is known
// (object_record::is_readable).
struct barrier_state {
  uint64 bits;
  uint32 pending;
  uint32 expected;  // 0: not known
  int32 bytes;      // outstanding; negative: more have been copied than expected
  bool parity;      // of the current phase
  // For the report:
  uint32 early;   // arrivals before any init
  bool is_known;  // whether pending and parity are known
};

// The parity is the top bit. On sm_80 there are two words: 2^30 minus the expected count, and 2^31 minus the pending
// count.
CUDASYNC_DEVICE uint64 bits_of(target::sm80, ptx::shared_address bar) {
  return ptx::read_mbarrier_word(bar);
}
CUDASYNC_DEVICE barrier_state state_of(target::sm80 here, ptx::shared_address bar) {
  const uint64 bits = bits_of(here, bar);
  return {bits,
          (uint32{1} << 31) - (static_cast<uint32>(bits >> 32) & 0x7fffffff),
          (uint32{1} << 30) - static_cast<uint32>(bits),
          0,
          bits >> 63 != 0,
          0,
          false};
}

// On sm_90, an arrival with a count of 0 returns the state, without the expected count and with only the upper bits of
// the byte count. Bits 62..43 are 2^20 minus the pending count. The word in memory is not up to date.
CUDASYNC_DEVICE uint64 bits_of(target::sm90, ptx::shared_address bar) {
  return ptx::mbarrier_arrive_none(bar);
}
CUDASYNC_DEVICE uint32 pending_of(uint64 bits) {
  return (0 - static_cast<uint32>(bits >> 43)) & 0xfffff;
}
CUDASYNC_DEVICE barrier_state state_of(target::sm90 here, ptx::shared_address bar) {
  const uint64 bits = bits_of(here, bar);
  return {bits, pending_of(bits), 0, 0, bits >> 63 != 0, 0, false};
}

// Whether at least this number of arrivals is missing.
CUDASYNC_DEVICE bool are_missing(target::sm80, uint64 bits, uint32 arrivals) {
  return (static_cast<uint32>(bits >> 32) & 0x7fffffff) + arrivals <= uint32{1} << 31;
}
CUDASYNC_DEVICE bool are_missing(target::sm90, uint64 bits, uint32 arrivals) {
  return (static_cast<uint32>(bits >> 32) & 0x7ffff800) + (arrivals << 11) <= uint32{1} << 31;
}

// Invalidating an mbarrier brings its word in memory up to date: bits 20..1 are 2^20 minus the expected count, bits
// 41..21 the outstanding bytes, negated, bits 62..43 2^20 minus the pending count, and bit 63 is the parity. Only the
// report of a hang does this.
CUDASYNC_DEVICE barrier_state whole_state_of(target::sm80 here, ptx::shared_address bar) {
  return state_of(here, bar);
}
CUDASYNC_DEVICE barrier_state whole_state_of(target::sm90 here, ptx::shared_address bar) {
  const barrier_state quick = state_of(here, bar);
  ptx::mbarrier_inval(bar);
  const uint64 bits = ptx::read_mbarrier_word(bar);
  barrier_state whole{bits,
                      pending_of(bits),
                      (0 - static_cast<uint32>(bits >> 1)) & 0xfffff,
                      -(static_cast<int32>(static_cast<uint32>(bits >> 21) << 11) >> 11),
                      bits >> 63 != 0,
                      0,
                      false};
  if (whole.pending != quick.pending || whole.parity != quick.parity) whole = quick;
  return whole;
}

using barrier_target = target::here_or_minimum<target::sm80>::type;

// --- init ---

// Called before and after init, because init overwrites the state that shows whether the barrier was in use. Returns a
// null pointer if there is no room for a record.
inline __device__ __noinline__ object_record* before_init(ptx::shared_address bar) {
  object_record* const record = record_at(bar.value);
  if (record == nullptr || read_near(record->times) == 0 || read_near(record->is_readable) == 0) return record;
  const uint32 pending = state_of(barrier_target{}, bar).pending;
  const uint32 expected = read_near(record->expected);
  write_near(record->arrived_before, pending < expected ? expected - pending : 0);
  return record;
}

inline __device__ __noinline__ void after_init(object_record* record, ptx::shared_address bar, uint32 expected,
                                               uint64 from) {
  const barrier_state first = state_of(barrier_target{}, bar);
  const barrier_state second = state_of(barrier_target{}, bar);
  if (first.bits != second.bits) ptx::mbarrier_init(bar, expected);
  if (record == nullptr) return;
  write_near(record->from, from);
  write_near(record->expected, expected);
  write_near(record->remote, 0);
  write_near(record->is_of_cluster, 0);
  write_near(record->drops, 0);
  write_near(reinterpret_cast<uint32&>(record->who), static_cast<uint32>(role::none));
  record->expects = {};
  record->copied = {};
  write_near(record->is_readable, first.pending == expected && second.pending == expected && first.bits == second.bits);
  CUDASYNC_NO_UNROLL
  for (uint32 warp = 0; warp < (threads_of_block() + 31) / 32; ++warp) {
    write_near(record->arriving.lanes[warp % 32], 0);
    write_near(record->waiting.lanes[warp % 32], 0);
  }
  write_near(record->epoch, (read_far(record->epoch) + tally::epoch_one) & tally::epoch);
  write_near(record->times, read_near(record->times) + 1);
  const uint64 none = uint64{check_of(bar.value)} << 32;
  write_near(record->ready_to_arrive, none);
  write_near(record->ready_to_wait, none);
}

CUDASYNC_DEVICE void note_end(ptx::shared_address bar) {
  object_record* const record = find(bar.value);
  if (record == nullptr) return;
  write_near(record->ready_to_arrive, 0);
  write_near(record->ready_to_wait, 0);
  shared_by_all(record->key) = 0;
}

// --- Arrivals ---

// Prints a report and ends the kernel. Defined in report_device.h.
[[noreturn]] CUDASYNC_REPORT void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals,
                                                  uint32 lanes);

struct arrival {
  uint32 peers;  // lanes of the warp that arrive together on the barrier
  bool is_one_by_one;
};

inline constexpr uint32 watched_arrivals = 4;  // the number of first arrivals of a thread that are made one by one
inline constexpr uint32 most_with_one_lock = 32;

CUDASYNC_DEVICE uint32 own_warp() {
  return backend::rank_in_block() / 32 % 32;
}

// The number of arrivals that the lanes make together.
CUDASYNC_DEVICE uint32 sum_of_updates(uint32 lanes, uint32 update) {
  if (__any_sync(lanes, update != 1) == 0) return ptx::popc(lanes);
  uint32 sum = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 left = lanes; left != 0; left &= left - 1)
    sum += __shfl_sync(lanes, update, static_cast<int>(ptx::lowest_bit(left)));
  return sum;
}

// Records an arrival at a barrier without a recorded init. If the bits are not those of a barrier, the arrival would
// trap.
inline __device__ __noinline__ void note_early_arrival(object_record* record, ptx::shared_address bar, uint32 update,
                                                       uint32 peers) {
  if (record != nullptr) atomicAdd(&record->early, update);
  const barrier_state state = state_of(barrier_target{}, bar);
  const uint32 arrivals = sum_of_updates(peers, update);
  if (arrivals > state.pending || (state.bits >> 32) == 0) report_too_many(bar, state.pending, arrivals, peers);
}

// The tally after an arrival. others: the tally of the warp, if a lane arrives separately.
CUDASYNC_DEVICE uint64 counted(uint64 before, uint64 others, uint32 update, bool parity, bool is_drop) {
  uint64 after = before;
  if (number_of(before) == 0 && parity) after |= tally::began_odd;
  if (calls_of_thread::of(before, others).has_last(parity) && (before & tally::is_mixed) == 0)
    after |= tally::twice_in_a_phase;
  if ((before & tally::has_dropped) != 0) after |= tally::arrived_after_drop;
  if (is_drop) after |= tally::has_dropped;
  return after + tally::change(parity, update);
}

// Whether the next arrivals can take the fast path. others: as above.
CUDASYNC_DEVICE bool is_pure(uint64 word, uint64 others) {
  return number_of(others) == 0 && (word & (tally::is_mixed | tally::has_dropped)) == 0;
}

// Sets or clears a bit of the words that tell who is ready.
CUDASYNC_DEVICE void set_ready(uint64& ready_warps, uint32 warp, bool is_ready) {
  auto* const word = reinterpret_cast<unsigned long long*>(&ready_warps);
  const uint64 bit = uint64{1} << warp;
  if (((read_near(ready_warps) & bit) != 0) == is_ready) return;
  if (is_ready)
    atomicOr(word, bit);
  else
    atomicAnd(word, ~bit);
}
CUDASYNC_DEVICE void set_ready(uint32& lanes, bool is_ready) {
  const uint32 bit = uint32{1} << own_lane();
  if (((read_near(lanes) & bit) != 0) == is_ready) return;
  if (is_ready)
    atomicOr(&lanes, bit);
  else
    atomicAnd(&lanes, ~bit);
}

// The lanes of a warp arrive together, and if they are more than the missing arrivals, the hardware ends the kernel. So
// the state is checked before. Another warp may arrive between the check and the arrival, so the first arrivals are
// made one by one.
inline __device__ __noinline__ arrival before_arrival(ptx::shared_address bar, uint32 update, bool is_drop) {
  const uint32 peers = __match_any_sync(__activemask(), bar.value);
  object_record* record = find(bar.value);
  if (record == nullptr && !is_without_room()) record = record_at(bar.value);
  // An init may come in between, so the peers decide together.
  if (__any_sync(peers, record == nullptr || read_near(record->times) == 0) != 0) {
    note_early_arrival(record, bar, update, peers);
    return {peers, false};
  }
  const barrier_state state = state_of(barrier_target{}, bar);
  const uint32 warp = own_warp();
  const bool is_of_warp = peers == all_lanes && __all_sync(all_lanes, update == 1 && !is_drop) != 0;
  lane_tallies* const lanes = is_of_warp ? lanes_of(*record, warp) : lanes_of_own_warp(*record, peers);
  uint64* const alone = lanes != nullptr ? &lanes->of[own_lane()].arrivals : nullptr;
  uint64& together = record->warps[warp].arrivals;
  const uint64 before_together = in_epoch(*record, read_near(together));
  const uint64 before_alone = in_epoch(*record, alone != nullptr ? read_near(*alone) : 0);
  const uint32 earlier = number_of(before_together) + number_of(before_alone);
  const bool is_readable = read_near(record->is_readable) != 0;
  const bool is_seasoned = is_readable && earlier + 1 >= watched_arrivals;
  if (is_drop) atomicAdd(&record->drops, 1u);
  __syncwarp(peers);  // all lanes have read the words
  if (!is_of_warp) {
    const uint64 after = counted(before_alone, before_together, update, state.parity, is_drop);
    if (alone != nullptr) {
      write_near(*alone, after);
      set_ready(record->arriving.lanes[warp], is_seasoned && is_pure(after, before_together));
    }
    if (number_of(before_together) == 0)
      write_near(together, before_together | tally::is_mixed);
    else if ((before_together & tally::is_mixed) == 0)
      atomicOr(reinterpret_cast<unsigned long long*>(&together), tally::is_mixed);
    set_ready(record->ready_to_arrive, warp, false);
  } else {
    uint64 seen = before_alone;
    if (number_of(seen) != 0 && calls_of_thread::of(seen, before_together).has_last(state.parity))
      seen |= tally::twice_in_a_phase;
    if ((seen & tally::has_dropped) != 0) seen |= tally::arrived_after_drop;
    if (seen != before_alone) write_near(*alone, seen);
    if (own_lane() == 0) {
      const uint64 after = counted(before_together, 0, 1, state.parity, false);
      write_near(together, after);
      set_ready(record->ready_to_arrive, warp, is_seasoned && is_pure(after, 0));
    }
  }
  const uint32 arrivals = sum_of_updates(peers, update);
  if (is_readable && arrivals > state.pending) report_too_many(bar, state.pending, arrivals, peers);
  const bool are_others_near = arrivals + 32 > state.pending || state.pending - arrivals < threads_of_block();
  return {peers, is_readable && (arrivals > 1 || peers != all_lanes) && earlier < watched_arrivals && are_others_near};
}

// Called through a pointer, so that ptxas does not add its registers to those of its callers.
using arrival_checker = arrival (*)(ptx::shared_address bar, uint32 update, bool is_drop);
CUDASYNC_DEVICE_VARIABLE arrival_checker checker_of_arrivals = before_arrival;

// A call of all lanes of a warp together, or of each active lane: what decides whether it can be counted without another
// look. The words are loaded at once, and needed only after the barrier has been asked.
struct noted_look {
  noted_call call;
  object_record* record;
  uint32 first;  // together: the barrier of the first lane
  uint64 warps;  // the words of the record
  uint32 lanes;
  uint32 index;

  template <bool IsArrival>
  CUDASYNC_DEVICE static noted_look at(ptx::shared_address bar) {
    noted_look mine;
    mine.call = noted_call::now(__activemask());
    mine.record = place_of(bar.value, 0);
    mine.warps = read_near(IsArrival ? mine.record->ready_to_arrive : mine.record->ready_to_wait);
    mine.first = bar.value;
    mine.lanes = 0;
    mine.index = 0;
    if (mine.call.is_together) {
      mine.first = __shfl_sync(all_lanes, bar.value, 0);
    } else {
      mine.lanes = read_near((IsArrival ? mine.record->arriving : mine.record->waiting).lanes[own_warp()]);
      mine.index = read_near(mine.record->lanes[own_warp()]);
    }
    return mine;
  }

  // Whether the call can be counted. Lanes that call separately each decide for themselves, because they must not wait
  // for each other.
  CUDASYNC_DEVICE bool is_ready(ptx::shared_address bar, bool is_expected = true) const {
    const bool is_known = (warps >> 32 == check_of(bar.value)) & is_expected;
    if (!call.is_together) return is_known & ((lanes >> own_lane() & 1) != 0);
    return __all_sync(all_lanes,
                      is_known & (first == bar.value) & ((static_cast<uint32>(warps) >> own_warp() & 1) != 0)) != 0;
  }

  template <bool IsArrival>
  CUDASYNC_DEVICE void note(uint64 change, caller where) const {
    if (call.is_together && own_lane() != 0) return;
    tallies& mine = call.is_together ? record->warps[own_warp()] : lanes_of_warps[index].of[own_lane()];
    // Not atomicAdd, which ptxas leaves an atomic operation with a result.
    ptx::red(ptx::sem_relaxed, ptx::scope_gpu, ptx::op_add_t{},
             ptx::to_global_pointer(IsArrival ? &mine.arrivals : &mine.waits), change);
    call.note(where);
  }
};

// What is counted, and what the tally and the record get from the first call.
struct counted_call {
  bool is_arrival;
  uint64 change;
  uint64 first_flags;
  role who;
  uint32 stage;
};

// Counts a call of the active lanes, and makes their tallies ready.
inline __device__ __noinline__ void count_slowly(ptx::shared_address bar, counted_call call) {
  const uint32 peers = __match_any_sync(__activemask(), bar.value);
  object_record* const record = find(bar.value);
  if (record == nullptr || read_near(record->times) == 0) return;
  const uint32 warp = own_warp();
  const bool is_together = peers == all_lanes;
  lane_tallies* const lanes = is_together ? nullptr : lanes_of_own_warp(*record, peers);
  if (is_together ? own_lane() != 0 : lanes == nullptr) return;
  tallies& mine = is_together ? record->warps[warp] : lanes->of[own_lane()];
  uint64& word = call.is_arrival ? mine.arrivals : mine.waits;
  const uint64 before = in_epoch(*record, read_near(word));
  if (number_of(before) == 0 && !call.is_arrival) {
    write_near(record->stage, call.stage);
    write_near(reinterpret_cast<uint32&>(record->who), static_cast<uint32>(call.who));
  }
  write_near(word, (number_of(before) == 0 ? before | call.first_flags : before) + call.change);
  if (is_together)
    set_ready(call.is_arrival ? record->ready_to_arrive : record->ready_to_wait, warp, true);
  else
    set_ready((call.is_arrival ? record->arriving : record->waiting).lanes[warp], true);
}

// Called through a pointer, so that ptxas does not add its registers to those of its callers.
using call_counter = void (*)(ptx::shared_address bar, counted_call call);
CUDASYNC_DEVICE_VARIABLE call_counter counter_of_calls = count_slowly;

// The slow path of an arrival.
template <class Arrive>
__device__ __noinline__ uint64 arrive_slowly(ptx::shared_address bar, uint32 update, bool is_drop, Arrive arrive) {
  const arrival mine = shared_by_all(checker_of_arrivals)(bar, update, is_drop);
  if (!__any_sync(mine.peers, mine.is_one_by_one)) return arrive();
  // A lock, because the hardware combines arrivals that diverged lanes make at the same time. If few arrivals are
  // expected, all threads of the block use the same one: then two warps cannot both take the last place.
  object_record* const record = find(bar.value);
  const bool is_of_few = record != nullptr && read_near(record->expected) <= most_with_one_lock;
  uint32* const lock = is_of_few ? &record->lock : mine.peers != all_lanes ? &record_of_warp().lock : nullptr;
  uint64 token = 0;
  uint32 before = 0;
  uint32 done = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 left = mine.peers; left != 0; left &= left - 1, ++done) {
    const int lane = static_cast<int>(ptx::lowest_bit(left));
    uint32 phase = 0;
    if (static_cast<int>(own_lane()) == lane) {
      while (lock != nullptr && atomicExch(lock, 1u) != 0)
        __nanosleep(20);
      __threadfence_block();
      const barrier_state state = state_of(barrier_target{}, bar);
      phase = 1 + state.parity;
      if (update > state.pending) report_too_many(bar, state.pending, update, mine.peers);
      token = arrive();
      __threadfence_block();
      if (lock != nullptr) atomicExch(lock, 0u);
    }
    phase = __shfl_sync(mine.peers, phase, lane);
    if (done != 0 && phase != before) report_too_many(bar, done, ptx::popc(mine.peers), mine.peers);
    before = phase;
  }
  return token;
}

// Makes the arrival, and records it. arrive: makes the arrival as in the release build, and returns the token.
template <class Arrive>
CUDASYNC_DEVICE uint64 arrive_on(ptx::shared_address bar, uint32 update, bool is_drop, caller where, Arrive arrive) {
  if (!is_drop && update == 1) {
    shake();
    const noted_look mine = noted_look::at<true>(bar);
    const uint64 bits = bits_of(barrier_target{}, bar);
    if (mine.is_ready(bar, are_missing(barrier_target{}, bits, mine.call.lanes()))) {
      const uint64 token = arrive();
      mine.note<true>(tally::change(bits >> 63 != 0), where);
      return token;
    }
  }
  note_call(where);
  return arrive_slowly(bar, update, is_drop, arrive);
}

// Records an arrival that is made without a check of the state.
CUDASYNC_DEVICE void note_arrival(ptx::shared_address bar, caller where) {
  shake();
  const noted_look mine = noted_look::at<true>(bar);
  if (mine.is_ready(bar)) return mine.note<true>(tally::one, where);
  mine.call.note(where);
  shared_by_all(counter_of_calls)(bar, {true, tally::one, 0, role::none, 0});
}

CUDASYNC_DEVICE void add(byte_count& count, uint32 bytes, caller where) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&count.bytes), bytes);
  atomicAdd(&count.times, 1u);
  shared_by_all(count.from) = site::of(where).bits;
}
CUDASYNC_DEVICE void note_expected_bytes(ptx::shared_address bar, uint32 bytes, caller where) {
  if (bytes == 0) return;
  if (object_record* const record = find(bar.value)) add(record->expects, bytes, where);
}
CUDASYNC_DEVICE void note_copied_bytes(ptx::shared_address bar, uint32 bytes, caller where) {
  if (object_record* const record = find(bar.value)) add(record->copied, bytes, where);
}

// Asks once whether a phase of this parity is complete, and records the wait: for all lanes of a warp together, or for
// each active lane. Returns the answer.
template <class Test>
CUDASYNC_DEVICE bool test_noted(ptx::shared_address bar, bool parity, caller where, role who, uint32 stage, Test test) {
  shake();
  const noted_look mine = noted_look::at<false>(bar);
  const bool is_complete = test();
  if (mine.is_ready(bar)) {
    mine.note<false>(tally::change(parity), where);
  } else {
    mine.call.note(where);
    shared_by_all(counter_of_calls)(bar, {false, tally::change(parity), parity ? tally::began_odd : 0, who, stage});
  }
  return is_complete;
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
