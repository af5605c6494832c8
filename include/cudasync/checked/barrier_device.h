// Checks of barriers in shared memory: what is missing, and arrivals that are too many, before the hardware ends the kernel.
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
#include <cudasync/ptx/special_registers.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace checked {

// What an mbarrier's 64 bits say. They are opaque, so init tries whether they can be read (object_record::is_readable).
struct barrier_state {
  uint64 bits;
  uint32 pending;
  uint32 expected;  // 0: not known
  int32 bytes;      // outstanding; negative: more have come than are expected
  bool parity;      // of the phase that is not complete
  // For the report:
  uint32 early;   // arrivals before any init
  bool is_known;  // pending and parity
};

// sm_80: two words, 2^30 less the expected count and 2^31 less the pending one, with the parity in the top bit.
CUDASYNC_DEVICE barrier_state state_of(target::sm80, ptx::shared_address bar) {
  const uint64 bits = ptx::read_mbarrier_word(bar);
  return {bits,
          (uint32{1} << 31) - (static_cast<uint32>(bits >> 32) & 0x7fffffff),
          (uint32{1} << 30) - static_cast<uint32>(bits),
          0,
          bits >> 63 != 0,
          0,
          false};
}

// sm_90: an arrival of no threads returns the state, without the expected count and but for the upper bits of the bytes. The
// word in memory is not up to date.
CUDASYNC_DEVICE barrier_state state_of(target::sm90, ptx::shared_address bar) {
  const uint64 bits = ptx::mbarrier_arrive_none(bar);
  return {bits, (0 - static_cast<uint32>(bits >> 43)) & 0xfffff, 0, 0, bits >> 63 != 0, 0, false};
}

// To invalidate an mbarrier brings its word in memory up to date: bits 20..1 are 2^20 less the expected count, bits 41..21 the
// bytes outstanding, negated, bits 62..43 2^20 less the pending count, and bit 63 is the parity. For the last report alone.
CUDASYNC_DEVICE barrier_state whole_state_of(target::sm80 here, ptx::shared_address bar) {
  return state_of(here, bar);
}
CUDASYNC_DEVICE barrier_state whole_state_of(target::sm90 here, ptx::shared_address bar) {
  const barrier_state quick = state_of(here, bar);
  ptx::mbarrier_inval(bar);
  const uint64 bits = ptx::read_mbarrier_word(bar);
  barrier_state whole{bits,
                      (0 - static_cast<uint32>(bits >> 43)) & 0xfffff,
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

// Before and after: init overwrites what tells whether the barrier was in use.
inline __device__ __noinline__ object_record* before_init(ptx::shared_address bar) {
  object_record* const record = find_or_make(bar.value);
  if (record->times != 0 && record->is_readable != 0) {
    const uint32 pending = state_of(barrier_target{}, bar).pending;
    record->arrived_before = pending < record->expected ? record->expected - pending : 0;
  }
  return record;
}

inline __device__ __noinline__ void after_init(object_record* record, ptx::shared_address bar, uint32 expected,
                                               const char* file, uint32 line) {
  CUDASYNC_NO_UNROLL
  for (uint32 thread = 0; thread < threads_of_block() && thread < most_threads; ++thread)
    record->threads[thread] = {0, 0};
  record->file = file;
  record->line = line;
  record->expected = expected;
  record->times += 1;
  record->remote = 0;
  record->is_of_cluster = 0;
  record->drops = 0;
  record->who = role::none;
  record->expected_bytes = 0;
  record->copied_bytes = 0;
  record->times_expected = 0;
  record->times_copied = 0;
  const barrier_state first = state_of(barrier_target{}, bar);
  const barrier_state second = state_of(barrier_target{}, bar);
  record->is_readable = first.pending == expected && second.pending == expected && first.bits == second.bits;
  if (first.bits != second.bits) ptx::mbarrier_init(bar, expected);
}

CUDASYNC_DEVICE void note_end(ptx::shared_address bar) {
  if (object_record* const record = find(bar.value)) shared_by_all(record->key) = 0;
}

// --- Arrivals ---

// Ends the kernel with a text: report_device.h.
[[noreturn]] CUDASYNC_REPORT void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals,
                                                  uint32 lanes);

struct arrival {
  uint32 peers;  // lanes of the warp that arrive together on the barrier
  bool is_one_by_one;
};

inline constexpr uint32 watched_arrivals = 4;  // of each thread, the first that are made one by one

// The lanes of a warp arrive at once, and if they are more than are missing, the kernel ends. Whether they are is seen before.
// But another warp may come between, if it looks at the same time: so the first arrivals are made one by one.
inline __device__ __noinline__ arrival before_arrival(ptx::shared_address bar, uint32 update, bool is_drop) {
  const uint32 peers = __match_any_sync(__activemask(), bar.value);
  object_record* record = find(bar.value);
  if (record == nullptr) record = find_or_make(bar.value);
  const barrier_state state = state_of(barrier_target{}, bar);
  uint32 earlier = watched_arrivals;
  bool is_readable = false;
  if (record->times == 0) {
    atomicAdd(&record->early, update);
  } else {
    attendance& mine = record->threads[backend::rank_in_block() % most_threads];
    const uint32 before = mine.arrivals;
    earlier = before & attendance::number_of_arrivals;
    const bool was_odd = (before & attendance::last_phase) != 0;
    uint32 bits = before & ~(attendance::number_of_arrivals | attendance::last_phase);
    if (earlier != 0 && was_odd == state.parity) bits |= attendance::twice_in_a_phase;
    if ((before & attendance::has_dropped) != 0) bits |= attendance::arrived_after_drop;
    if (is_drop) {
      bits |= attendance::has_dropped;
      atomicAdd(&record->drops, 1u);
    }
    mine.arrivals =
        bits | ((earlier + update) & attendance::number_of_arrivals) | (state.parity ? attendance::last_phase : 0);
    is_readable = record->is_readable != 0;
  }
  uint32 arrivals = static_cast<uint32>(ptx::popc(peers));
  if (__any_sync(peers, update != 1) != 0) {
    arrivals = 0;
    CUDASYNC_NO_UNROLL
    for (uint32 left = peers; left != 0; left &= left - 1)
      arrivals += __shfl_sync(peers, update, static_cast<int>(ptx::lowest_bit(left)));
  }
  const bool is_uninitialized = record->times == 0 && (arrivals > state.pending || (state.bits >> 32) == 0);
  if ((is_readable && arrivals > state.pending) || is_uninitialized)
    report_too_many(bar, state.pending, arrivals, peers);
  const bool are_others_near = arrivals + 32 > state.pending || state.pending - arrivals < threads_of_block();
  return {peers, is_readable && (arrivals > 1 || peers != 0xffffffff) && earlier < watched_arrivals && are_others_near};
}

// Makes the arrival. Arrive: what the plain build does, which returns the token.
template <class Arrive>
CUDASYNC_DEVICE uint64 arrive_on(ptx::shared_address bar, uint32 update, bool is_drop, Arrive arrive) {
  const arrival mine = before_arrival(bar, update, is_drop);
  if (!__any_sync(mine.peers, mine.is_one_by_one)) return arrive();
  uint64 token = 0;
  uint32 before = 0;
  uint32 done = 0;
  CUDASYNC_NO_UNROLL
  for (uint32 left = mine.peers; left != 0; left &= left - 1, ++done) {
    const int lane = static_cast<int>(ptx::lowest_bit(left));
    uint32 phase = 0;
    if (static_cast<int>(ptx::get_sreg_laneid()) == lane) {
      // Lanes that have diverged and arrive at the same moment are one arrival for the hardware.
      uint32* const lock = mine.peers != 0xffffffff ? &record_of_warp().lock : nullptr;
      while (lock != nullptr && atomicExch(lock, 1u) != 0)
        __nanosleep(20);
      const barrier_state state = state_of(barrier_target{}, bar);
      phase = 1 + state.parity;
      if (update > state.pending) report_too_many(bar, state.pending, update, mine.peers);
      token = arrive();
      if (lock != nullptr) atomicExch(lock, 0u);
    }
    phase = __shfl_sync(mine.peers, phase, lane);
    if (done != 0 && phase != before)
      report_too_many(bar, done, static_cast<uint32>(ptx::popc(mine.peers)), mine.peers);
    before = phase;
  }
  return token;
}

// One that is made without a look at the barrier.
CUDASYNC_DEVICE void note_arrival(ptx::shared_address bar) {
  if (object_record* const record = find(bar.value)) {
    uint32& arrivals = record->threads[backend::rank_in_block() % most_threads].arrivals;
    arrivals = (arrivals & ~attendance::number_of_arrivals) | ((arrivals + 1) & attendance::number_of_arrivals);
  }
}

CUDASYNC_DEVICE void note_expected_bytes(ptx::shared_address bar, uint32 bytes, caller where) {
  object_record* const record = find(bar.value);
  if (record == nullptr || bytes == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&record->expected_bytes), bytes);
  atomicAdd(&record->times_expected, 1u);
  shared_by_all(record->expected_file) = where.file;
  shared_by_all(record->expected_line) = where.line;
}
CUDASYNC_DEVICE void note_copied_bytes(ptx::shared_address bar, uint32 bytes, caller where) {
  object_record* const record = find(bar.value);
  if (record == nullptr) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&record->copied_bytes), bytes);
  atomicAdd(&record->times_copied, 1u);
  shared_by_all(record->copied_file) = where.file;
  shared_by_all(record->copied_line) = where.line;
}

// A wait for a phase of this parity begins.
CUDASYNC_DEVICE void note_parity(ptx::shared_address bar, bool parity, role who = role::none) {
  object_record* const record = find(bar.value);
  if (record == nullptr) return;
  attendance& mine = record->threads[backend::rank_in_block() % most_threads];
  const uint32 before = mine.waits;
  if (before == 0) shared_by_all(reinterpret_cast<uint32&>(record->who)) = static_cast<uint32>(who);
  const bool is_in_a_row = before >> 16 != 0 && (before & 1) == parity;
  const uint32 row = is_in_a_row && (before & 0xfffe) != 0xfffe ? (before & 0xfffe) + 2 : is_in_a_row ? 0xfffe : 2;
  mine.waits = ((before >> 16 < 0xffff ? (before >> 16) + 1 : 0xffff) << 16) | row | parity;
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
