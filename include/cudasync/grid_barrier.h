// grid_barrier: a barrier for all or some blocks of a grid, or for blocks of several GPUs and host threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_GRID_BARRIER_H
#define CUDASYNC_GRID_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/backend/grid/grid_phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/hang/watch.h>
#include <cudasync/trace/span.h>

#if CUDASYNC_HAS_HOST
#include <new>  // placement new, for users; NVRTC declares it by itself
#endif
#if CUDASYNC_CUDA
#include <cudasync/thread_block.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI {

// One of the blocks, or host threads, that meet at a grid_barrier.
struct participant {
  // 0 to count - 1. Each rank takes part exactly once.
  uint32 rank;
  // The number of participants, 1 to 2^30.
  uint32 count;

  // The rank.
  [[nodiscard]] CUDASYNC_API uint32 block_rank() const { return rank; }
  // The number of participants.
  [[nodiscard]] CUDASYNC_API uint32 num_blocks() const { return count; }
};

// A meeting point for whole blocks, in global memory: all threads of a block call the functions, converged, and are
// also synchronized with each other. Each call specifies which blocks take part: the whole grid, this_grid(), or a
// participant. All participants of a phase specify the same set. A different set may begin a phase after all waits of
// the previous phase have returned.
//
//   __device__ cudasync::grid_barrier<> bar;
//   __global__ void kernel() { ... bar.arrive_and_wait(); ... }
//
// The blocks must be resident at the same time, because blocks that wait keep other blocks from starting. Launch the
// kernel with cudaLaunchCooperativeKernel, which refuses a grid that does not fit. The checked build reports grids that
// cannot be resident, and waits that do not end.
//
// Scope: thread_scope_device for one GPU; thread_scope_system for several GPUs and the host. A host thread takes part
// by itself, as a participant. The object must then be in memory that all of them can access atomically.
//
// Ordering: what a thread did before it arrived is visible at Scope to each thread of all participants after its wait.
//
// A barrier whose bytes are all zero is ready for use: in static storage, or after cudaMemset. Nothing is reset between
// phases or launches, as long as each launch completes the phases that it began. 8 bytes.
template <thread_scope Scope = thread_scope_device>
class __attribute__((unused)) grid_barrier {
  static_assert(Scope == thread_scope_device || Scope == thread_scope_system,
                "grid_barrier: blocks meet at device scope, or at system scope with other GPUs and the host; for a "
                "cluster use cluster_barrier");

 public:
  // The threads that may use the object at the same time.
  static constexpr thread_scope scope = Scope;

  // Identifies a phase, for wait.
  class arrival_token {
   private:
    friend class grid_barrier;
    CUDASYNC_API explicit arrival_token(uint32 word) : word_(word) {}
    uint32 word_;
  };

  // Trivial: the object is not initialized, except in static storage, where its bytes are zero.
  grid_barrier() = default;
  grid_barrier(const grid_barrier&) = delete;
  grid_barrier& operator=(const grid_barrier&) = delete;

  // Begins the lifetime of a barrier in memory that no thread uses. One thread calls it. Then synchronize the threads.
  friend CUDASYNC_API void init(grid_barrier* bar) {
    CUDASYNC_ASSERT(bar != nullptr, "init: the barrier is a null pointer; pass the address of a barrier");
    bar->phase_.word = 0;
  }

  // Arrives for the block, one of the given blocks. The threads of the block wait for each other, but not for other
  // blocks. The phase of the arrival before must be complete, after a wait; the checked build reports others. Returns
  // the token of the phase. Releases at Scope. All threads of the block call it, converged.
  template <class Blocks>
  [[nodiscard]] CUDASYNC_API arrival_token arrive(const Blocks& blocks, caller where = caller::here()) {
    checked::note(target::here{}, where);
    const trace::span traced(trace::action::grid_arrive, {this}, where);
    check_phase_before(blocks, where);
    const arrival_token token(backend::arrive<Scope>(target::here{}, phase_, share(blocks, where)));
    checked::note_arrival(target::here{}, this, token.word_);
    return token;
  }

  // Blocks until all participants have arrived. Acquires at Scope. The same threads that arrived call it, for the same
  // blocks. The checked build reports a wait that does not end.
  template <class Blocks>
  CUDASYNC_API void wait(arrival_token&& token, const Blocks& blocks, caller where = caller::here()) const {
    checked::note(target::here{}, where);
    const trace::span traced(trace::action::grid_wait, {this, 0}, where);
    backend::wait<Scope>(target::here{}, phase_, share(blocks, where), token.word_);
    checked::note_wait(target::here{}, this);
  }

  // Arrives for the block, and blocks until all participants have arrived. Releases and acquires at Scope. Faster than
  // arrive and wait. All threads of the block call it, converged.
  template <class Blocks>
  CUDASYNC_API void arrive_and_wait(const Blocks& blocks, caller where = caller::here()) {
    checked::note(target::here{}, where);
    const trace::span traced(trace::action::grid_arrive_and_wait, {this}, where);
    check_phase_before(blocks, where);
    backend::arrive_and_wait<Scope>(target::here{}, phase_, share(blocks, where));
  }

#if CUDASYNC_CUDA
  // Arrives for the block, one of all blocks of the grid. Returns the token of the phase. Releases at Scope.
  [[nodiscard]] CUDASYNC_DEVICE arrival_token arrive(caller where = caller::here()) {
    return arrive(this_grid(), where);
  }
  // Blocks until all blocks of the grid have arrived. Acquires at Scope. The same threads that arrived call it.
  CUDASYNC_DEVICE void wait(arrival_token&& token, caller where = caller::here()) const {
    wait(cudasync::move(token), this_grid(), where);
  }
  // Arrives for the block, and blocks until all blocks of the grid have arrived. Releases and acquires at Scope.
  CUDASYNC_DEVICE void arrive_and_wait(caller where = caller::here()) { arrive_and_wait(this_grid(), where); }
#endif

 private:
  template <class Blocks>
  CUDASYNC_API void check_phase_before(const Blocks& blocks, [[maybe_unused]] caller where = caller::here()) const {
    if constexpr (checked::is_on) {
      checked::note_round(target::here{}, this, backend::share_of(blocks), where);
      [[maybe_unused]] uint32 before = 0;
      CUDASYNC_ASSERT(
          !checked::find_arrival(target::here{}, this, before) ||
              backend::has_flipped(before, backend::load_relaxed<Scope>(target::here{}, phase_.word)),
          "grid_barrier::arrive: this block has arrived already in a phase that is not complete; call wait between two "
          "arrivals");
    }
  }

  template <class Blocks>
  CUDASYNC_API static backend::grid_share share(const Blocks& blocks, caller where = caller::here()) {
    const backend::grid_share result = backend::share_of(blocks);
    backend::check_residency(target::here{}, result, where);
    CUDASYNC_ASSERT(result.rank < result.count && result.count <= uint32{1} << 30,
                    "grid_barrier: the rank must be less than the count, and the count 1 to 2^30");
    return result;
  }

  backend::grid_phase phase_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
