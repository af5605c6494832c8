// Checks of barriers in shared memory: what is missing, and arrivals that are too many, before the hardware ends the kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CHECKED_BARRIER_DEVICE_H
#define CUDASYNC_CHECKED_BARRIER_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/checked/registry_device.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
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
};

// sm_80: two words, 2^30 less the expected count and 2^31 less the pending one, with the parity in the top bit.
CUDASYNC_DEVICE barrier_state state_of(target::sm80, ptx::shared_address bar) {
  const uint64 bits = ptx::read_mbarrier_word(bar);
  return {bits, (uint32{1} << 31) - (static_cast<uint32>(bits >> 32) & 0x7fffffff),
          (uint32{1} << 30) - static_cast<uint32>(bits), 0, bits >> 63 != 0};
}

// sm_90: an arrival of no threads returns the state, without the expected count and but for the upper bits of the bytes. The
// word in memory is not up to date.
CUDASYNC_DEVICE barrier_state state_of(target::sm90, ptx::shared_address bar) {
  const uint64 bits = ptx::mbarrier_arrive_none(bar);
  return {bits, (0 - static_cast<uint32>(bits >> 43)) & 0xfffff, 0, 0, bits >> 63 != 0};
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
  barrier_state whole{bits, (0 - static_cast<uint32>(bits >> 43)) & 0xfffff, (0 - static_cast<uint32>(bits >> 1)) & 0xfffff,
                      -(static_cast<int32>(static_cast<uint32>(bits >> 21) << 11) >> 11), bits >> 63 != 0};
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
  record->drops = 0;
  record->expected_bytes = 0;
  record->copied_bytes = 0;
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
[[noreturn]] __device__ void report_too_many(ptx::shared_address bar, uint32 missing, uint32 arrivals, uint32 lanes);

struct arrival {
  uint32 peers;       // lanes of the warp that arrive together on the barrier
  bool is_one_by_one;
};

inline constexpr uint32 watched_arrivals = 4;  // of each thread, the first that are made one by one

// The lanes of a warp arrive at once, and if they are more than are missing, the kernel ends. Whether they are is seen before.
// But another warp may come between, if it looks at the same time: so the first arrivals are made one by one.
inline __device__ __noinline__ arrival before_arrival(ptx::shared_address bar, uint32 update, bool is_drop) {
  const uint32 peers = __match_any_sync(__activemask(), bar.value);
  object_record* const record = find(bar.value);
  uint32 earlier = watched_arrivals;
  bool is_readable = false;
  if (record != nullptr) {
    attendance& mine = record->threads[backend::rank_in_block() % most_threads];
    earlier = mine.arrivals;
    mine.arrivals = earlier + update;
    is_readable = record->is_readable != 0;
    if (is_drop) atomicAdd(&record->drops, 1u);
  }
  uint32 arrivals = static_cast<uint32>(__popc(static_cast<int>(peers)));
  if (__any_sync(peers, update != 1) != 0) {
    arrivals = 0;
    CUDASYNC_NO_UNROLL
    for (uint32 left = peers; left != 0; left &= left - 1)
      arrivals += __shfl_sync(peers, update, __ffs(static_cast<int>(left)) - 1);
  }
  const barrier_state state = state_of(barrier_target{}, bar);
  const bool is_uninitialized = record == nullptr && target::is_at_least<barrier_target, target::sm90> && (state.bits >> 32) == 0;
  if ((is_readable && arrivals > state.pending) || is_uninitialized) report_too_many(bar, state.pending, arrivals, peers);
  const bool are_others_near = arrivals + 32 > state.pending || state.pending - arrivals < threads_of_block();
  return {peers, is_readable && arrivals > 1 && earlier < watched_arrivals && are_others_near};
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
    const int lane = __ffs(static_cast<int>(left)) - 1;
    uint32 phase = 0;
    if (static_cast<int>(ptx::get_sreg_laneid()) == lane) {
      const barrier_state state = state_of(barrier_target{}, bar);
      phase = 1 + state.parity;
      if (update > state.pending) report_too_many(bar, state.pending, update, mine.peers);
      token = arrive();
    }
    phase = __shfl_sync(mine.peers, phase, lane);
    if (done != 0 && phase != before) report_too_many(bar, done, static_cast<uint32>(__popc(static_cast<int>(mine.peers))), mine.peers);
    before = phase;
  }
  return token;
}

// One that is made without a look at the barrier.
CUDASYNC_DEVICE void note_arrival(ptx::shared_address bar) {
  if (object_record* const record = find(bar.value)) ++record->threads[backend::rank_in_block() % most_threads].arrivals;
}

CUDASYNC_DEVICE void note_bytes(ptx::shared_address bar, uint32 expected, uint32 copied) {
  object_record* const record = find(bar.value);
  if (record == nullptr) return;
  if (expected != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&record->expected_bytes), expected);
  if (copied != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&record->copied_bytes), copied);
}

// A wait for a phase of this parity begins.
CUDASYNC_DEVICE void note_parity(ptx::shared_address bar, bool parity) {
  object_record* const record = find(bar.value);
  if (record == nullptr) return;
  attendance& mine = record->threads[backend::rank_in_block() % most_threads];
  mine.last_wait = (mine.last_wait | 1) + 1 + parity;
}

}  // namespace checked
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
