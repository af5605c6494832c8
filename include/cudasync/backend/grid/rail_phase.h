// The phase of the hosts of a world_barrier: each GPU exchanges signals with the GPUs of its rank on the other hosts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_RAIL_PHASE_H
#define CUDASYNC_BACKEND_GRID_RAIL_PHASE_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/grid/first_warp.h>
#include <cudasync/backend/grid/peer_phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>
#include <cudasync/hang/watch.h>

// A dissemination. Before round r, a host knows that it and the radix^r - 1 hosts before it have arrived. In the round
// it tells the hosts at the distances 1, 2, ..., radix - 1 times radix^r, and hears from the hosts at these distances
// before it. So after the last round it knows of all hosts. Each signal has one sender, which raises it by 1 in each
// phase. Nothing is reset, and a host that is one phase ahead raises a signal beyond the number that is awaited.
//
// With a radix that is not less than the number of hosts there is one round, in which each host hears from every other.
// This is for networks on which a signal is only ordered after earlier writes to the same target: a host that hears of
// another through a third knows that it has arrived, but not that its writes are there.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// What a GPU has in its own memory, besides its part of the barrier of its host.
struct alignas(128) rail_memory {
  uint64 meetings;               // of the hosts; only the block of rank 0 uses it
  uint32 missing;                // 1 + the host that is waited for, for reports of hangs
  alignas(128) uint32 released;  // the last phase in which the hosts have met; all blocks of this GPU poll it
};

[[nodiscard]] CUDASYNC_API constexpr uint32 signals_of_rail(uint32 hosts, uint32 radix) {
  uint32 rounds = 0;
  for (uint64 stride = 1; stride < hosts; stride *= radix)
    ++rounds;
  return rounds * (radix - 1);
}

// For arrive_at_peers: the last block of a GPU waits for what the GPU has put.
template <class Rail>
struct completion_of {
  const Rail& rail;

  CUDASYNC_EXEC_CHECK_DISABLE
  CUDASYNC_API void operator()() const { rail.complete(); }
};

// The condition that the hosts have met, for blocks that do not take part in the rounds. own: the host of this GPU.
struct has_met {
  uint32 phase;
  const uint32* missing_host;
  uint32 own;

  CUDASYNC_API bool operator()(uint32 released) const { return static_cast<int32>(released - phase) >= 0; }

  static constexpr checked::kind what = checked::kind::world_barrier;
  CUDASYNC_API uint64 missing() const {
    const uint32 host = load<thread_scope_system>(target::here{}, *missing_host, memory_order_relaxed_t{});
    return checked::missing_peer{host == 0 ? own : host - 1, host == 0, phase / one_phase}.packed();
  }
};

// Blocks until the host has raised the signal; acquires. The checked build does not wait forever.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Rail>
CUDASYNC_API void hear_from(target::any, const Rail& rail, rail_memory&, uint32 signal, uint64 number, uint32, uint32) {
  rail.wait(signal, number);
}
#if CUDASYNC_CUDA && CUDASYNC_CHECKED
template <class Rail>
CUDASYNC_DEVICE void hear_from(target::sm70, const Rail& rail, rail_memory& memory, uint32 signal, uint64 number,
                               uint32 host, uint32 phase) {
  constexpr target::here here{};
  checked::device_watch guard(checked::kind::world_barrier, &memory.released);
  const checked::missing_peer who{host, false, phase / one_phase};
  while (!rail.is_raised(signal, number)) {
    store<thread_scope_system>(here, memory.missing, host + 1, memory_order_relaxed_t{});
    if (guard.has_given_up([&] { return who.packed(); })) return;
  }
  rail.wait(signal, number);
}
#endif

// The rounds of one phase. One block of each GPU calls it, after the GPUs of its host have met, or a host thread.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Rail>
CUDASYNC_API void meet_hosts(target::any, const Rail& rail, rail_memory& memory, uint32 phase) {
  constexpr target::here here{};
  if (!is_in_first_warp(here)) return;
  const uint32 hosts = rail.count();
  const uint32 own = rail.rank();
  const uint32 radix = rail.radix();
  const uint64 number = memory.meetings + 1;
  uint32 first_signal = 0;
  for (uint32 stride = 1; stride < hosts; stride *= radix) {
    for (uint32 step = 1 + rank_in_first_warp(here); step < radix && step * stride < hosts;
         step += first_warp_size(here))
      rail.raise(first_signal + step - 1, number, (own + step * stride) % hosts);
    for (uint32 step = 1 + rank_in_first_warp(here); step < radix && step * stride < hosts;
         step += first_warp_size(here))
      hear_from(here, rail, memory, first_signal + step - 1, number, (own + hosts - step * stride) % hosts, phase);
    sync_first_warp(here);  // what one thread has heard comes before what the others tell in the next round
    first_signal += radix - 1;
  }
  sync_first_warp(here);  // all have read the number
  if (rank_in_first_warp(here) == 0) memory.meetings = number;
}

// Completes a phase for one block, after it has arrived; acquires. The whole block calls it, or a host thread. The
// blocks of a GPU pass on at device scope what the leader acquired: causality order is transitive across scopes.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Part, class Rail>
CUDASYNC_API void await_world(target::any, const peer_team<Part>& team, const Rail& rail, rail_memory& memory,
                              uint32 phase, bool is_leader) {
  constexpr target::here here{};
  if (is_leader || checked::is_on) await_peers(here, team, phase);
  if (is_leader) meet_hosts(here, rail, memory, phase);
  meet_block(here);
  if (rank_in_first_warp(here) == 0) {
    uint32& released = in_global_memory(here, memory.released);
    if (is_leader) {
      store_release<thread_scope_device>(here, released, phase);
      notify(here, &released);
    } else {
      has_met condition{phase, &memory.missing, rail.rank()};
      await_value<thread_scope_device>(here, released, condition, memory_order_acquire_t{}, forever);
    }
  }
  meet_block(here);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
