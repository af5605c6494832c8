// The phase of the GPUs of a host: each GPU stores its phases into the memory of every GPU, and polls its own memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_PEER_PHASE_H
#define CUDASYNC_BACKEND_GRID_PEER_PHASE_H

#include <cudasync/backend/atomic/atomic.h>
#include <cudasync/backend/atomic/await_value.h>
#include <cudasync/backend/grid/first_warp.h>
#include <cudasync/backend/grid/grid_phase.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/operation.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/kind.h>

// Each GPU has a part in its own memory. The part has a slot for each GPU: the last phase that this GPU has stored
// there. Only that GPU writes the slot, and only blocks of the GPU that owns the part read it. So nothing crosses the
// link between two GPUs but one store for each phase, and no GPU performs a read-modify-write in another's memory.
//
// Phases are numbers modulo 2^16, in the upper half of a word. A slot is at most one phase ahead of the phase that a
// block waits for, so a signed difference compares them. Nothing is reset: zero bytes are ready for use.
//
// The blocks of one GPU first meet at a word whose lower half counts arrivals. Block 0 adds 2^16 - (count - 1) and each
// other block adds 1, as in grid_phase.h, so the last arrival carries into the phase. It then tells all GPUs.
//
// Ordering: arrivals at the word are acquire-release read-modify-writes at device scope. So the last block is ordered
// after all blocks of its GPU, and its release stores at system scope also release what these did, across scopes.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

enum : uint32 { one_phase = uint32{1} << 16, most_blocks_of_peer = one_phase };

template <uint32 MostPeers>
struct alignas(128) peer_memory {
  uint32 phases[MostPeers];      // by rank
  alignas(128) uint32 arrivals;  // of the blocks of this GPU; in a cache line that nobody polls
};

// The GPUs that meet, as one thread sees them. Part: contains a peer_memory, which memory_of(part) returns. Functions
// on a Team need own, rank and count, and tell_peers for its type.
template <class Part>
struct peer_team {
  Part* const* parts;  // by rank
  Part* own;
  Part* first;  // of the first GPU that this thread tells: it is read before it is needed
  uint32 rank;
  uint32 count;
  uint32 index;  // of the part in each of the parts
};

template <class Part>
[[nodiscard]] CUDASYNC_API peer_team<Part> make_team(Part* const* parts, uint32 rank, uint32 count, uint32 index) {
  const uint32 lane = rank_in_first_warp(target::here{});
  return {parts, parts[rank] + index, lane < count ? parts[lane] + index : nullptr, rank, count, index};
}

// The same addresses. The checked build reports a null one, that of a peer to which there is no direct path.
template <class Part>
[[nodiscard]] CUDASYNC_API Part* const* with_parts(Part* const* parts, [[maybe_unused]] uint32 count,
                                                   [[maybe_unused]] caller where = caller::here()) {
  if constexpr (checked::is_on)
    for (uint32 peer = 0; peer < count; ++peer)
      CUDASYNC_ASSERT(parts[peer] != nullptr,
                      "peer_barrier: the address of a part is null: there is no direct path to that GPU (nvshmem_ptr), "
                      "or its part is not allocated");
  return parts;
}
// Another kind of parts.
template <class Parts>
[[nodiscard]] CUDASYNC_API const Parts& with_parts(const Parts& parts, uint32, caller = caller::here()) {
  return parts;
}

[[nodiscard]] CUDASYNC_API constexpr uint32 phase_after(uint32 word) {
  return (word & ~(one_phase - 1)) + one_phase;
}
[[nodiscard]] CUDASYNC_API constexpr uint32 arrival_at_peer(grid_share share) {
  return share.rank == 0 ? one_phase - (share.count - 1) : uint32{1};
}
[[nodiscard]] CUDASYNC_API constexpr bool completes_phase(uint32 before, grid_share share) {
  return before + arrival_at_peer(share) == phase_after(before);
}

// The condition that a GPU has come to a phase. number: who is missing, for reports of hangs.
struct has_come {
  uint32 phase;
  uint32 peer;
  bool is_own;
  uint32 last = 0;

  CUDASYNC_API bool operator()(uint32 slot) {
    last = slot;
    return static_cast<int32>(slot - phase) >= 0;
  }

  static constexpr checked::kind what = checked::kind::peer_barrier;
  CUDASYNC_API uint64 missing() const {
    return checked::missing_peer{peer, is_own, (last + one_phase) / one_phase}.packed();
  }
};

// Stores the phase into the memory of all GPUs. The first warp of a block calls it, or a host thread.
template <class Part>
CUDASYNC_API void tell_peers(target::any, const peer_team<Part>& team, uint32 phase) {
  constexpr target::here here{};
  const uint32 lane = rank_in_first_warp(here);
  for (uint32 peer = lane; peer < team.count; peer += first_warp_size(here)) {
    Part& there = peer == lane ? *team.first : team.parts[peer][team.index];
    uint32& slot = in_global_memory(here, memory_of(there).phases[team.rank]);
    store_release<thread_scope_system>(here, slot, phase);
    notify(here, &slot);
  }
}

// Blocks until all GPUs have come to the phase; acquires. The whole block calls it, or a host thread.
template <class Team>
CUDASYNC_API void await_peers(target::any, const Team& team, uint32 phase) {
  constexpr target::here here{};
  if (is_in_first_warp(here)) {
    for (uint32 peer = rank_in_first_warp(here); peer < team.count; peer += first_warp_size(here)) {
      has_come condition{phase, peer, peer == team.rank};
      await_value<thread_scope_system>(here, in_global_memory(here, memory_of(*team.own).phases[peer]), condition,
                                       memory_order_acquire_t{}, forever);
    }
  }
  meet_block(here);
}

// Whether all GPUs have come to the phase.
template <class Team>
[[nodiscard]] CUDASYNC_API bool is_phase_complete(target::any, const Team& team, uint32 phase) {
  constexpr target::here here{};
  bool is_complete = true;
  for (uint32 peer = 0; peer < team.count; ++peer)
    is_complete &=
        static_cast<int32>(
            load<thread_scope_system>(here, memory_of(*team.own).phases[peer], memory_order_relaxed_t{}) - phase) >= 0;
  return is_complete;
}

// All blocks of each GPU: arrives for one of them. Releases at system scope. Returns the phase. complete: what the
// first thread of the last block does before it tells the other GPUs.
CUDASYNC_EXEC_CHECK_DISABLE
template <class Team, class Complete>
[[nodiscard]] CUDASYNC_API uint32 arrive_at_peers(target::any, const Team& team, grid_share share,
                                                  const Complete& complete) {
  constexpr target::here here{};
  if constexpr (checked::is_on) checked::meet_lanes(here);
  meet_block(here);
  if (!is_in_first_warp(here)) return 0;
  uint32 before = 0;
  if (rank_in_first_warp(here) == 0)
    before = fetch<thread_scope_device, sizeof before, operation::add>(
        here, in_global_memory(here, memory_of(*team.own).arrivals), arrival_at_peer(share), memory_order_acq_rel_t{});
  before = from_first_thread(here, before);
  if (completes_phase(before, share)) {
    if (rank_in_first_warp(here) == 0) complete();
    sync_first_warp(here);
    tell_peers(here, team, phase_after(before));
  }
  return phase_after(before);
}

struct nothing_to_complete {
  CUDASYNC_API void operator()() const {}
};

template <class Team>
[[nodiscard]] CUDASYNC_API uint32 arrive_at_peers(target::any, const Team& team, grid_share share) {
  return arrive_at_peers(target::here{}, team, share, nothing_to_complete());
}

// One block of each GPU: the phase that it came to last is in its own slot, which only this block writes.
template <class Team>
[[nodiscard]] CUDASYNC_API uint32 last_phase(target::any, const Team& team) {
  constexpr target::here here{};
  if (!is_in_first_warp(here)) return 0;
  return load<thread_scope_system>(here, in_global_memory(here, memory_of(*team.own).phases[team.rank]),
                                   memory_order_relaxed_t{});
}

// Arrives for the block. Releases at system scope.
template <class Team>
CUDASYNC_API void arrive_for_block(target::any, const Team& team, uint32 phase) {
  constexpr target::here here{};
  if constexpr (checked::is_on) checked::meet_lanes(here);
  meet_block(here);
  if (is_in_first_warp(here)) tell_peers(here, team, phase);
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
