// Records of barriers in shared memory: of inits, and of waits for a parity, how often in a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_BARRIER_WORDS_DEVICE_H
#define CUDASYNC_HANG_BARRIER_WORDS_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/hang/barrier_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/special_registers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace checked {

// Called before and after init, because init overwrites the state that shows whether the barrier was in use.
inline __device__ __noinline__ object_record* before_init(ptx::shared_address bar) {
  object_record* const record = record_at(bar.value);
  if (record->times != 0) {
    const barrier_state state = state_of(barrier_target{}, bar);
    const uint32 arrived = record->is_readable != 0 ? record->expected - state.pending : 0;
    record->arrived_before = arrived <= record->expected ? arrived : 0;
    record->unused_count = record->is_readable != 0 && arrived == 0 && !state.parity ? record->expected : used_count;
  }
  return record;
}

inline __device__ __noinline__ void after_init(object_record* record, ptx::shared_address bar, uint32 expected,
                                               uint64 from) {
  // Keeps what is known of an init before any arrival. If several groups initialize at once, none has seen the state.
  const uint32 count = atomicExch(&record->expected, expected);
  if (record->unused_count == 0) record->unused_count = count;
  if (record->unused_count == used_count || arrivers_at(*record) != 0) record->unused_count = 0;
  record->unused_from = record->from;
  if (record->from != from) {  // another object
    record->who = role::none;
    record->name = nullptr;
  }
  record->from = from;
  record->remote = 0;
  record->is_of_cluster = 0;
  record->drops = 0;
  record->has_copies = 0;
  record->expects = {};
  record->copied = {};
  CUDASYNC_NO_UNROLL
  for (uint32 rank = 0; rank < most_blocks_of_cluster; ++rank)
    record->sent[rank] = record->bytes_sent[rank] = 0;
  const barrier_state first = state_of(barrier_target{}, bar);
  const barrier_state second = state_of(barrier_target{}, bar);
  if (first.pending == expected && second.pending == expected && first.bits == second.bits) record->is_readable = 1;
  if (first.bits != second.bits) ptx::mbarrier_init(bar, expected);
  atomicAdd(&record->times, 1u);
  const uint32 epoch = object_state{record->state}.next_epoch();
  write_near(record->state, object_state::first_of(check_of(bar.value), epoch).bits);
}

CUDASYNC_DEVICE void record_end(ptx::shared_address bar) {
  object_record* const record = find(bar.value);
  if (record == nullptr) return;
  forget_check(*record);
  shared_by_all(record->key) = 0;
}

// may_be_together: whether all lanes of the warp call it together, unless IsAlone. It is a parameter because lanes that
// call this function at different places may be active at the same time here. Two instances, because a kernel calls one
// directly, which is faster, and the other one through a pointer, which takes fewer registers.
template <bool IsAlone>
__device__ __noinline__ void record_parity_slowly(ptx::shared_address bar, bool parity, bool may_be_together, role who,
                                                  uint32 stage) {
  // Together, the lanes may be at different barriers, or in different rounds of a loop.
  const uint32 awaited = bar.value | (parity ? 1 : 0);
  const bool is_together =
      !IsAlone && may_be_together && __all_sync(all_lanes, __shfl_sync(all_lanes, awaited, 0) == awaited) != 0;
  object_record* const record = place_of(bar.value, 0);
  warp_attendance& warp = warp_of(*record);
  uint32& mine = is_together ? warp.waits_together : warp.waits[own_lane()];
  uint32& other = is_together ? warp.waits[own_lane()] : warp.waits_together;
  const object_state there{read_near(record->state)};
  const auto in_this_epoch = [there](uint32 word) {
    return wait_history{(word & attendance::epoch) == there.epoch() ? word : 0};
  };
  const wait_history across = in_this_epoch(read_near(other));
  const wait_history last = in_this_epoch(read_near(mine)).later(across);
  if (there.check() != check_of(bar.value)) return;
  if (!across.is_empty()) write_near(other, across.bits | wait_history::continued);
  if (is_together && own_lane() != 0) return;
  if (last.is_empty()) {
    shared_by_all(record->stage) = stage;
    shared_by_all(reinterpret_cast<uint32&>(record->who)) = static_cast<uint32>(who);
  }
  write_near(mine, last.after_wait(parity, there.epoch()).bits);
}

// The usual wait for a parity: both parities have been waited for in this epoch, the other one last.
struct usual_wait {
  bool is_usual;
  uint32 after;

  CUDASYNC_DEVICE static usual_wait look(ptx::shared_address bar, bool parity, const object_record& record,
                                         const uint32& word) {
    const object_state there{read_near(record.state)};
    const wait_history before{read_near(word)};
    const uint32 difference =
        (before.bits ^ static_cast<uint32>(there.bits) ^ wait_history::changed ^ !parity) &
        (attendance::epoch | wait_history::changed | wait_history::continued | wait_history::last_parity);
    return {there.check() == check_of(bar.value) && difference == 0, before.after_usual_wait().bits};
  }
};

// Records the beginning of a wait for this parity: for all lanes of a warp together, or for each active lane.
CUDASYNC_DEVICE void record_parity(ptx::shared_address bar, bool parity, caller where, role who = role::none,
                                   uint32 stage = 0) {
  CUDASYNC_LANES_HERE(lanes);
  const bool is_together = lanes == all_lanes;
  if (is_together) {
    shake();
    const uint64 stamp = stamp_now();
    const uint32 of_leader = __shfl_sync(all_lanes, bar.value, 0);
    object_record& record = *place_of(bar.value, 0);
    uint32& word = warp_of(record).waits_together;
    const usual_wait mine = usual_wait::look(bar, parity, record, word);
    if (__builtin_expect(__all_sync(all_lanes, mine.is_usual && of_leader == bar.value) != 0, true)) {
      write_near_if(own_lane() == 0, word, mine.after);
      return record_call_together_if(true, stamp, where);
    }
  }
  record_call(where);
  record_parity_slowly<false>(bar, parity, is_together, who, stage);
}

// For a wait of usually one lane of a warp.
CUDASYNC_DEVICE void record_parity_alone(ptx::shared_address bar, bool parity, caller where, role who, uint32 stage) {
  record_call(where);
  object_record& record = *place_of(bar.value, 0);
  uint32& word = warp_of(record).waits[own_lane()];
  const usual_wait mine = usual_wait::look(bar, parity, record, word);
  if (__builtin_expect(mine.is_usual, true))
    write_near(word, mine.after);
  else
    pointer_to<record_parity_slowly<true>>()(bar, parity, false, who, stage);
}

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
