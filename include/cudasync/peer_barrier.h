// peer_barrier: the GPUs of one host synchronize inside kernels, with all their blocks or the blocks of one index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PEER_BARRIER_H
#define CUDASYNC_PEER_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/backend/grid/peer_phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/grid_barrier.h>
#include <cudasync/hang/watch.h>
#include <cudasync/peer/peer_mailbox.h>
#include <cudasync/peer/peer_signal.h>

#if CUDASYNC_CUDA
#include <cudasync/thread_block.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// The part of a barrier of up to MostPeers GPUs that belongs to one GPU, or to one block of a GPU. It must be in memory
// of that GPU that all the GPUs can access: memory of cudaMalloc with peer access or through cudaIpc, VMM memory with
// access for all of them, or a symmetric heap. Before any GPU uses a part, the bytes of all parts must be zero. Between
// phases or launches, no reset is needed, as long as each launch completes the phases that it began. 128-byte aligned;
// 256 bytes for up to 32 GPUs.
template <uint32 MostPeers = 8>
class peer_part {
  static_assert(0 < MostPeers && MostPeers <= 1024, "peer_part: the number of GPUs must be 1 to 1024");

 public:
  // The largest number of GPUs.
  static constexpr uint32 max_peers = MostPeers;

  // Trivial: the part is not initialized, except in static storage, where its bytes are zero.
  peer_part() = default;
  peer_part(const peer_part&) = delete;
  peer_part& operator=(const peer_part&) = delete;

 private:
  friend CUDASYNC_API backend::peer_memory<MostPeers>& memory_of(peer_part& part) { return part.memory_; }
  friend CUDASYNC_API backend::peer_team<peer_part> make_team(peer_part* const* parts, uint32 rank, uint32 count,
                                                              uint32 index) {
    return backend::make_team(parts, rank, count, index);
  }

  backend::peer_memory<MostPeers> memory_;
};

// A barrier for all blocks of several GPUs. The object is local to a thread and contains the addresses of the parts.
// All threads of a block construct it with the same arguments, and call its functions, converged. Each call also
// synchronizes these threads with each other.
//
//   __global__ void kernel(cudasync::peer_part<>* const* parts, unsigned rank, unsigned gpus) {
//     cudasync::peer_barrier bar(parts, rank, gpus);
//     ...
//     bar.arrive_and_wait();
//
// The blocks of each GPU must be resident at the same time, and the kernels of all GPUs must run at the same time. The
// GPUs need not have the same number of blocks.
//
// Ordering: what a thread wrote before it arrived, in the memory of any GPU or of the host, is visible at system scope
// to every thread of every GPU after that thread's wait.
template <uint32 MostPeers = 8, class Parts = peer_part<MostPeers>* const*>
class peer_barrier {
  using team = decltype(make_team(declval<Parts>(), 0, 0, 0));

 public:
  // Identifies a phase, for wait.
  class arrival_token {
   private:
    friend class peer_barrier;
    CUDASYNC_API explicit arrival_token(uint32 phase) : phase_(phase) {}
    uint32 phase_;
  };

  // parts: the addresses of the parts of all GPUs, by rank, as this GPU sees them, or a multicast_part
  // (<cudasync/peer_multicast.h>); the checked build reports a null address. The array must not change while the
  // barrier is used. rank: the rank of this GPU, 0 to count - 1. count: the number of GPUs, 1 to MostPeers.
  CUDASYNC_API peer_barrier(identity<Parts> parts, uint32 rank, uint32 count,
                            [[maybe_unused]] caller where = caller::here())
      : team_(make_team(backend::with_parts(parts, count, where), rank, count, 0)) {
    CUDASYNC_ASSERT(rank < count && count <= MostPeers,
                    "peer_barrier: the rank must be less than the count, and the count 1 to MostPeers");
  }

  // Arrives for the block, one of the given blocks of its GPU. The threads of the block wait for each other, but not
  // for other blocks. The phase in which the block has arrived before must be complete: it calls wait in between. The
  // checked build reports an arrival that comes before. Returns the token of the phase. Releases at system scope. All
  // threads of the block call it, converged.
  template <class Blocks>
  [[nodiscard]] CUDASYNC_API arrival_token arrive(const Blocks& blocks, caller where = caller::here()) {
    checked::note(target::here{}, where);
    check_phase_before(where);
    const uint32 phase = backend::arrive_at_peers(target::here{}, team_, share(blocks, where));
    checked::note_arrival(target::here{}, team_.own, phase);
    return arrival_token(phase);
  }

  // Blocks until the blocks of all GPUs have arrived. Acquires at system scope. The same threads that arrived call it.
  // The checked build reports a wait that does not end, with the missing rank.
  CUDASYNC_API void wait(arrival_token&& token, caller where = caller::here()) {
    checked::note(target::here{}, where);
    backend::await_peers(target::here{}, team_, token.phase_);
    checked::note_wait(target::here{}, team_.own);
  }

  // Arrives for the block, and blocks until the blocks of all GPUs have arrived. Releases and acquires at system scope.
  // All threads of the block call it, converged.
  template <class Blocks>
  CUDASYNC_API void arrive_and_wait(const Blocks& blocks, caller where = caller::here()) {
    wait(arrive(blocks, where), where);
  }

#if CUDASYNC_CUDA
  // Arrives for the block, one of all blocks of its grid. Returns the token of the phase. Releases at system scope.
  [[nodiscard]] CUDASYNC_DEVICE arrival_token arrive(caller where = caller::here()) {
    return arrive(this_grid(), where);
  }
  // Arrives for the block, and blocks until all blocks of the grids of all GPUs have arrived.
  CUDASYNC_DEVICE void arrive_and_wait(caller where = caller::here()) { arrive_and_wait(this_grid(), where); }
#endif

 private:
  CUDASYNC_API void check_phase_before([[maybe_unused]] caller where = caller::here()) const {
    if constexpr (checked::is_on) {
      [[maybe_unused]] uint32 phase = 0;
      CUDASYNC_ASSERT(!checked::find_arrival(target::here{}, team_.own, phase) ||
                          backend::is_phase_complete(target::here{}, team_, phase),
                      "peer_barrier::arrive: this block has arrived already in a phase that is not complete; call wait "
                      "between two arrivals");
    }
  }

  template <class Blocks>
  CUDASYNC_API static backend::grid_share share(const Blocks& blocks, [[maybe_unused]] caller where = caller::here()) {
    const backend::grid_share result = backend::share_of(blocks);
    backend::check_residency(target::here{}, result, where);
    CUDASYNC_ASSERT(result.rank < result.count && result.count <= backend::most_blocks_of_peer,
                    "peer_barrier: the rank of a block must be less than the count, and the count 1 to 65,536");
    return result;
  }

  team team_;
};
template <uint32 MostPeers>
peer_barrier(peer_part<MostPeers>* const*, uint32, uint32) -> peer_barrier<MostPeers>;

// A barrier for one block of each of several GPUs: the blocks that use the part of the same index. Other blocks of
// these GPUs do not take part, and may use parts of other indices. The object is local to a thread. All threads of a
// block construct it with the same arguments, and call its functions, converged. Each call also synchronizes these
// threads with each other. It is sufficient for an all-reduce in which each block reduces what the blocks of the same
// index have written.
//
//   cudasync::peer_block_barrier bar(parts, rank, gpus, blockIdx.x);
//   ...
//   bar.arrive_and_wait();
//
// A part of a peer_block_barrier must not be used by a peer_barrier, and only one object of a block uses it at a time.
//
// Ordering: what a thread of the block wrote before it arrived, in any memory, is visible at system scope to every
// thread of the blocks that take part, after that thread's wait.
template <uint32 MostPeers = 8, class Parts = peer_part<MostPeers>* const*>
class peer_block_barrier {
  using team = decltype(make_team(declval<Parts>(), 0, 0, 0));

 public:
  // Identifies a phase, for wait.
  class arrival_token {
   private:
    friend class peer_block_barrier;
    CUDASYNC_API explicit arrival_token(uint32 phase) : phase_(phase) {}
    uint32 phase_;
  };

  // parts: the addresses of the arrays of parts of all GPUs, by rank, as this GPU sees them, or a multicast_part. The
  // array of addresses must not change while the barrier is used. rank: the rank of this GPU, 0 to count - 1. count:
  // the number of GPUs, 1 to MostPeers. index: the index of the part in each of the arrays.
  CUDASYNC_API peer_block_barrier(identity<Parts> parts, uint32 rank, uint32 count, uint32 index,
                                  [[maybe_unused]] caller where = caller::here())
      : team_(make_team(backend::with_parts(parts, count, where), rank, count, index)),
        phase_(backend::last_phase(target::here{}, team_)) {
    CUDASYNC_ASSERT(rank < count && count <= MostPeers,
                    "peer_block_barrier: the rank must be less than the count, and the count 1 to MostPeers");
  }
  peer_block_barrier(const peer_block_barrier&) = delete;
  peer_block_barrier& operator=(const peer_block_barrier&) = delete;

  // Arrives for the block. Its threads wait for each other, but not for other blocks. Returns the token of the phase.
  // Releases at system scope. All threads of the block call it, converged.
  [[nodiscard]] CUDASYNC_API arrival_token arrive(caller where = caller::here()) {
    checked::note(target::here{}, where);
    phase_ += backend::one_phase;
    backend::arrive_for_block(target::here{}, team_, phase_);
    return arrival_token(phase_);
  }

  // Blocks until the blocks of all GPUs have arrived. Acquires at system scope. The same threads that arrived call it.
  // The checked build reports a wait that does not end, with the missing rank.
  CUDASYNC_API void wait(arrival_token&& token, caller where = caller::here()) {
    checked::note(target::here{}, where);
    backend::await_peers(target::here{}, team_, token.phase_);
  }

  // Arrives for the block, and blocks until the blocks of all GPUs have arrived. Releases and acquires at system scope.
  // All threads of the block call it, converged.
  CUDASYNC_API void arrive_and_wait(caller where = caller::here()) { wait(arrive(where), where); }

 private:
  team team_;
  uint32 phase_;
};
template <uint32 MostPeers>
peer_block_barrier(peer_part<MostPeers>* const*, uint32, uint32, uint32) -> peer_block_barrier<MostPeers>;

}}  // namespace cudasync::CUDASYNC_ABI

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
