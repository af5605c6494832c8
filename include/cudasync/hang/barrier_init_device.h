// Records the init and the end of barriers in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_HANG_BARRIER_INIT_DEVICE_H
#define CUDASYNC_HANG_BARRIER_INIT_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA && CUDASYNC_CHECKED

#include <cudasync/core/integers.h>
#include <cudasync/hang/mbarrier_state_device.h>
#include <cudasync/hang/object_table_device.h>
#include <cudasync/hang/record_words_device.h>
#include <cudasync/hang/registry_device.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/mbarrier.h>

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
  // Several groups may initialize one object at the same time.
  keep_unused_init(*record, atomicExch(&record->expected, expected));
  record_site(*record, from);
  record->remote = 0;
  record->is_of_cluster = 0;
  record->drops = 0;
  record->has_copies = 0;
  record->expects = {};
  record->copied = {};
  CUDASYNC_NO_UNROLL
  for (uint32& each : record->sent)
    each = 0;
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

}}}  // namespace cudasync::CUDASYNC_ABI::checked

#endif  // CUDASYNC_CUDA && CUDASYNC_CHECKED

#endif
