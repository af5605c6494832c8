// A participant of a grid_barrier on the device: a block, whose first warp arrives and waits for all its threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_GRID_PHASE_DEVICE_H
#define CUDASYNC_BACKEND_GRID_GRID_PHASE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/atomic/word.h>
#include <cudasync/backend/grid/grid_phase.h>
#include <cudasync/backend/order/access_device.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/watch.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread/elect.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// Whether the GPU might hold all blocks at once. A multiprocessor holds at most 64 warps and 32 blocks.
CUDASYNC_DEVICE bool may_be_resident(uint64 blocks) {
  const uint64 warps = (uint64{blockDim.x} * blockDim.y * blockDim.z + 31) / 32;
  return blocks * (warps < 2 ? 2 : warps) <= uint64{64} * ptx::get_sreg_nsmid();
}

// Reports as many participants as the grid has blocks, if the GPU cannot hold them.
CUDASYNC_DEVICE void check_residency(target::sm70, [[maybe_unused]] grid_share share, [[maybe_unused]] caller where) {
  CUDASYNC_ASSERT(share.count != uint64{gridDim.x} * gridDim.y * gridDim.z || may_be_resident(share.count),
                  "the GPU cannot hold so many blocks at once; launch with cudaLaunchCooperativeKernel, which refuses "
                  "such a grid");
}

template <thread_scope Scope>
CUDASYNC_DEVICE uint32 arrive(target::sm70 here, grid_phase& phase, grid_share share) {
  if constexpr (checked::is_on) checked::meet_lanes(here);
  __syncthreads();
  uint32 before = 0;
  if (rank_in_block() == 0) before = fetch_add_release<Scope>(here, phase.word, share.addend());
  return before;
}

// Reads the word. acquire_what_was_seen follows the read that sees the flip. Before sm_90, a fence costs more.
template <thread_scope Scope>
CUDASYNC_DEVICE uint32 look_at(target::sm70 here, const grid_phase& phase) {
  return load_acquire<Scope>(here, phase.word);
}
template <thread_scope Scope>
CUDASYNC_DEVICE uint32 look_at(target::sm90 here, const grid_phase& phase) {
  return load_relaxed<Scope>(here, phase.word);
}

// Whether the arrival itself shows that the phase is complete. If a fence acquires, no thread then reads the word.
CUDASYNC_DEVICE bool was_last(target::sm70, uint32, grid_share) {
  return false;
}
CUDASYNC_DEVICE bool was_last(target::sm90, uint32 before, grid_share share) {
  return has_flipped(before, before + share.addend());
}

template <thread_scope Scope>
CUDASYNC_DEVICE void acquire_what_was_seen(target::sm70) {}
template <thread_scope Scope>
CUDASYNC_DEVICE void acquire_what_was_seen(target::sm90 here) {
  fence<Scope>(here, memory_order_acquire_t{});
}

template <thread_scope Scope>
CUDASYNC_DEVICE void wait(target::sm70, const grid_phase& phase, grid_share share, uint32 before) {
  if (rank_in_block() == 0) {
    checked::device_watch guard(checked::kind::grid_barrier, &phase);
    const bool is_complete = was_last(device_here{}, before, share);
    while (!is_complete && !has_flipped(before, look_at<Scope>(device_here{}, phase))) {
      __nanosleep(20);
      if constexpr (checked::is_on)
        if (guard.has_given_up([&] { return missing_blocks(look_at<Scope>(device_here{}, phase), share); })) break;
    }
    acquire_what_was_seen<Scope>(device_here{});
  }
  __syncthreads();
}

// The time between the addition and the first read of the word. With fewer than 32 blocks, the arrivals of blocks that
// arrive at about the same time have then reached L2. With more blocks, they take longer: L2 executes them in turn.
CUDASYNC_DEVICE void let_blocks_arrive(uint32 count) {
#pragma unroll
  for (uint32 pause = 0; pause < 3; ++pause)
    __nanosleep(20);
  if (count < 32) return;
#pragma unroll
  for (uint32 pause = 0; pause < 4; ++pause)
    __nanosleep(20);
#pragma unroll 1
  for (uint32 more = count / 64; more > 2; --more)
    __nanosleep(20);
}

// With fewer than 192 blocks, the first read of the word is issued before the result of the addition is back. An
// earlier read would miss the other arrivals, and another round trip would follow. The whole warp reads the word,
// because selecting one thread costs more than reading with 32. The checked build reports a wait of a single lane, too.
template <thread_scope Scope>
CUDASYNC_DEVICE void arrive_and_wait(target::sm70 here, grid_phase& phase, grid_share share) {
  if constexpr (checked::is_on) return wait<Scope>(here, phase, share, arrive<Scope>(here, phase, share));
  __syncthreads();
  if (rank_in_block() < 32) {
    uint32 before = 0;
    if (rank_in_block() == 0) before = fetch_add_release<Scope>(here, phase.word, share.addend());
    let_blocks_arrive(share.count);
    uint32 now = look_at<Scope>(device_here{}, phase);
    before = __shfl_sync(0xffffffff, before, 0);
    while (!has_flipped(before, now)) {
      __nanosleep(20);
      now = look_at<Scope>(device_here{}, phase);
    }
    acquire_what_was_seen<Scope>(device_here{});
  }
  __syncthreads();
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
