// world_barrier: the GPUs of several hosts synchronize inside kernels, over NVLink and over the network.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_WORLD_BARRIER_H
#define CUDASYNC_WORLD_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/backend/grid/peer_phase.h>
#include <cudasync/backend/grid/rail_phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/hang/watch.h>

#if CUDASYNC_CUDA
#include <cudasync/thread_block.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// The part of a world_barrier that belongs to one GPU. MostPeers: the largest number of GPUs of a host. The part must
// be in memory of that GPU that all GPUs of the host can access. Before any GPU uses a part, the bytes of all parts
// must be zero. Between phases or launches, no reset is needed, as long as each launch completes the phases that it
// began. 128-byte aligned; 512 bytes for up to 32 GPUs.
template <uint32 MostPeers = 8>
class world_part {
  static_assert(0 < MostPeers && MostPeers <= 1024, "world_part: the number of GPUs of a host must be 1 to 1024");

 public:
  // The largest number of GPUs of a host.
  static constexpr uint32 max_peers = MostPeers;

  // Trivial: the part is not initialized, except in static storage, where its bytes are zero.
  world_part() = default;
  world_part(const world_part&) = delete;
  world_part& operator=(const world_part&) = delete;

 private:
  friend CUDASYNC_API backend::peer_memory<MostPeers>& memory_of(world_part& part) { return part.peers_; }
  friend CUDASYNC_API backend::rail_memory& rail_memory_of(world_part& part) { return part.rail_; }

  backend::peer_memory<MostPeers> peers_;
  backend::rail_memory rail_;
};

// A barrier for all blocks of the GPUs of several hosts. The GPUs of a host meet through pointers, as in a
// peer_barrier. Then each GPU exchanges signals with the GPUs of its rank on the other hosts, through a rail: an object
// that sends and awaits signals with another library, such as nvshmem_rail or nccl_rail. Each host has the same number
// of GPUs. The object is local to a thread. All threads of a block construct it with the same arguments, and call its
// functions, converged. Each call also synchronizes these threads with each other.
//
//   cudasync::world_barrier bar(rail, parts, rank_in_host, gpus_of_host);
//   ...
//   bar.arrive_and_wait();
//
// The blocks of each GPU must be resident at the same time, and the kernels of all GPUs must run at the same time.
//
// Ordering: what a thread wrote before it arrived, in the memory of a GPU of its own host, is visible at system scope
// to every thread of the GPUs of this host after that thread's wait. What a GPU has put into the memory of a GPU of
// another host, with the library of the rail, is visible to the threads of that GPU, as far as the rail orders it.
template <class Rail, uint32 MostPeers = 8>
class world_barrier {
 public:
  // Identifies a phase, for wait.
  class arrival_token {
   private:
    friend class world_barrier;
    CUDASYNC_API arrival_token(uint32 phase, bool is_leader) : phase_(phase), is_leader_(is_leader) {}
    uint32 phase_;
    bool is_leader_;
  };

  // rail: the connection to the other hosts. parts: the addresses of the parts of the GPUs of this host, by rank, as
  // this GPU sees them. rank: that of this GPU in its host, 0 to count - 1. count: GPUs of each host, 1 to MostPeers.
  CUDASYNC_EXEC_CHECK_DISABLE
  CUDASYNC_API world_barrier(const Rail& rail, world_part<MostPeers>* const* parts, uint32 rank, uint32 count,
                             [[maybe_unused]] caller where = caller::here())
      : rail_(rail), team_(backend::make_team(parts, rank, count, 0)) {
    CUDASYNC_ASSERT(rank < count && count <= MostPeers,
                    "world_barrier: the rank must be less than the count, and the count 1 to MostPeers");
    CUDASYNC_ASSERT(rail_.rank() < rail_.count() && rail_.count() <= 65536 && rail_.radix() >= 2,
                    "world_barrier: the rail must have 1 to 65,536 hosts, and a radix of at least 2");
  }

  // Arrives for the block, one of the given blocks of its GPU. The last block of the GPU waits until what the GPU has
  // put into the memory of other hosts is there, if the rail can wait for it. Returns the token of the phase. Releases
  // at system scope. All threads of the block call it, converged.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Blocks>
  [[nodiscard]] CUDASYNC_API arrival_token arrive(const Blocks& blocks, caller where = caller::here()) {
    checked::note(target::here{}, where);
    const backend::grid_share share = backend::share_of(blocks);
    backend::check_residency(target::here{}, share, where);
    CUDASYNC_ASSERT(share.rank < share.count && share.count <= backend::most_blocks_of_peer,
                    "world_barrier: the rank of a block must be less than the count, and the count 1 to 65,536");
    return arrival_token(backend::arrive_at_peers(target::here{}, team_, share, backend::completion_of<Rail>{rail_}),
                         share.rank == 0);
  }

  // Blocks until the blocks of all GPUs of all hosts have arrived. Acquires at system scope. The same threads that
  // arrived call it. The block of rank 0 exchanges the signals of its GPU, so it must not delay its wait. The checked
  // build reports a wait that does not end, with the missing rank or host.
  CUDASYNC_EXEC_CHECK_DISABLE
  CUDASYNC_API void wait(arrival_token&& token, caller where = caller::here()) {
    checked::note(target::here{}, where);
    backend::await_world(target::here{}, team_, rail_, rail_memory_of(*team_.own), token.phase_, token.is_leader_);
  }

  // Arrives for the block, and blocks until the blocks of all GPUs of all hosts have arrived. Releases and acquires at
  // system scope. All threads of the block call it, converged.
  CUDASYNC_EXEC_CHECK_DISABLE
  template <class Blocks>
  CUDASYNC_API void arrive_and_wait(const Blocks& blocks, caller where = caller::here()) {
    wait(arrive(blocks, where), where);
  }

#if CUDASYNC_CUDA
  // Arrives for the block, one of all blocks of its grid. Returns the token of the phase. Releases at system scope.
  [[nodiscard]] CUDASYNC_DEVICE arrival_token arrive(caller where = caller::here()) {
    return arrive(this_grid(), where);
  }
  // Arrives for the block, and blocks until all blocks of the grids of all GPUs of all hosts have arrived.
  CUDASYNC_DEVICE void arrive_and_wait(caller where = caller::here()) { arrive_and_wait(this_grid(), where); }
#endif

 private:
  Rail rail_;
  backend::peer_team<world_part<MostPeers>> team_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
