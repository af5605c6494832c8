// named_barrier: one of the sixteen barriers that a block has in hardware, as a type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NAMED_NAMED_BARRIER_H
#define CUDASYNC_NAMED_NAMED_BARRIER_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/phase/named_barrier_device.h>
#include <cudasync/core/alignment.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// For a barrier of all threads of the block, however many there are.
inline constexpr uint32 all_threads_of_block = 0;

// A meeting point for warps of a block. A phase completes when warps with Threads threads in total have called sync or
// arrive; then the next phase begins. The threads that called sync wait for the phase. A warp counts as 32 threads,
// even if some of its threads have exited. No object and no initialization is needed.
//
//   using halves_meet = cudasync::named_barrier<1, 256>;    // id 1, 256 threads
//   halves_meet::sync();
//
// A warp takes part only once in a phase: after an arrive, it must learn through another barrier that the phase has
// completed before it takes part again. named_channel takes care of this. Id 0 is the barrier of __syncthreads() and of
// groups that represent the block: leave it to them, or take ids from named_barrier_ids.
//
// Ordering: what a thread did before sync, arrive or a vote is visible, in its block, to the threads that return from a
// sync or a vote of the same phase.
//
// Source: PTX, bar and barrier. The id and the number of threads are immediates, which ptxas checks. ptxas reserves the
// barriers from 0 to the highest id, so low ids are better.
//
// In the checked build, a model replaces the barriers, except barrier 0 and barriers of all threads.
// It reports warps that arrive twice, do not arrive, or expect another number of threads. All threads that meet must
// then use this class, not PTX of their own.
template <uint32 Id, uint32 Threads = all_threads_of_block>
class named_barrier {
  static_assert(Id < 16, "named_barrier: a block has 16 barriers; give an id of 0 to 15");
  static_assert(Threads % 32 == 0, "named_barrier: whole warps take part; give a multiple of 32 threads");
  static_assert(Threads <= 1024, "named_barrier: a block has at most 1024 threads; give 32 to 1024");

  using barrier = conditional<Threads == all_threads_of_block, backend::immediate_barrier<Id>,
                              backend::immediate_barrier<Id, Threads>>;

 public:
  // The number of the hardware barrier.
  static constexpr uint32 id = Id;
  // The threads that meet; 0 for all threads of the block.
  static constexpr uint32 threads = Threads;

  named_barrier() = default;

  // Arrives, and blocks until the phase has completed. Releases and acquires at block scope. For whole warps. bar.sync.
  CUDASYNC_DEVICE static void sync(caller where = caller::here()) { backend::sync(barrier{}, aligned_t{}, where); }
  // Arrives, and blocks until the phase has completed. Each thread of a warp may call it by itself. barrier.sync.
  CUDASYNC_DEVICE static void sync(unaligned_t, caller where = caller::here()) {
    backend::sync(barrier{}, unaligned, where);
  }
  // Arrives, once in a phase. Does not block. Releases at block scope. For whole warps. bar.arrive.
  CUDASYNC_DEVICE static void arrive(caller where = caller::here()) { arrive_as(aligned_t{}, where); }
  // Arrives. Does not block. Each thread of a warp may call it by itself. barrier.arrive.
  CUDASYNC_DEVICE static void arrive(unaligned_t, caller where = caller::here()) { arrive_as(unaligned, where); }
  // Arrives, and blocks until the phase has completed. Returns the number of threads whose predicate is true. All
  // threads of the warp call it together (bar.red.popc), or each by itself with `unaligned` (barrier.red.popc). All
  // threads of the phase call the same one of the three votes, and no thread calls arrive.
  template <class Alignment = aligned_t>
  [[nodiscard]] CUDASYNC_DEVICE static uint32 sync_count(bool predicate, Alignment alignment = {},
                                                         caller where = caller::here()) {
    return backend::vote(backend::vote_count{}, barrier{}, alignment, predicate, where);
  }
  // Returns whether the predicate is true in every thread, by a phase as that of sync_count. bar.red.and.
  template <class Alignment = aligned_t>
  [[nodiscard]] CUDASYNC_DEVICE static bool sync_and(bool predicate, Alignment alignment = {},
                                                     caller where = caller::here()) {
    return backend::vote(backend::vote_and{}, barrier{}, alignment, predicate, where) != 0;
  }
  // Returns whether the predicate is true in any thread, by a phase as that of sync_count. bar.red.or.
  template <class Alignment = aligned_t>
  [[nodiscard]] CUDASYNC_DEVICE static bool sync_or(bool predicate, Alignment alignment = {},
                                                    caller where = caller::here()) {
    return backend::vote(backend::vote_or{}, barrier{}, alignment, predicate, where) != 0;
  }

 private:
  template <class Alignment>
  CUDASYNC_DEVICE static void arrive_as(Alignment alignment, caller where) {
    static_assert(
        Threads != all_threads_of_block || !is_same<Alignment, Alignment>,
        "named_barrier::arrive needs the number of threads: give it as the second template argument, counting "
        "arriving and waiting threads together");
    if constexpr (Threads != all_threads_of_block) backend::arrive(barrier{}, alignment, where);
  }
};

// A named barrier whose id or number of threads is known only at run time. It costs more: ptxas reserves all sixteen
// barriers for the kernel, so fewer blocks may share a multiprocessor. Only the checked build checks the arguments: the
// hardware takes the id modulo 16.
class dynamic_named_barrier {
 public:
  // The barrier with this id, for this number of threads. id: 0 to 15. threads: a multiple of 32, 32 to 1024. The
  // checked build reports other values.
  CUDASYNC_DEVICE dynamic_named_barrier(uint32 id, uint32 threads, [[maybe_unused]] caller where = caller::here())
      : barrier_{id, threads} {
    CUDASYNC_ASSERT(id < 16, "dynamic_named_barrier: a block has 16 barriers; give an id of 0 to 15");
    CUDASYNC_ASSERT(threads % 32 == 0 && 0 < threads && threads <= 1024,
                    "dynamic_named_barrier: whole warps meet; give 32 to 1024 threads, a multiple of 32");
  }

  // Arrives, and blocks until the phase has completed, as named_barrier::sync. bar.sync.
  CUDASYNC_DEVICE void sync(caller where = caller::here()) const { backend::sync(barrier_, aligned_t{}, where); }
  // Arrives, and blocks until the phase has completed. Each thread of a warp may call it by itself. barrier.sync.
  CUDASYNC_DEVICE void sync(unaligned_t, caller where = caller::here()) const {
    backend::sync(barrier_, unaligned, where);
  }
  // Arrives, as named_barrier::arrive. Does not block. bar.arrive.
  CUDASYNC_DEVICE void arrive(caller where = caller::here()) const { backend::arrive(barrier_, aligned_t{}, where); }
  // Arrives. Does not block. Each thread of a warp may call it by itself. barrier.arrive.
  CUDASYNC_DEVICE void arrive(unaligned_t, caller where = caller::here()) const {
    backend::arrive(barrier_, unaligned, where);
  }
  // Returns the number of threads whose predicate is true, as named_barrier::sync_count. bar.red.popc.
  template <class Alignment = aligned_t>
  [[nodiscard]] CUDASYNC_DEVICE uint32 sync_count(bool predicate, Alignment alignment = {},
                                                  caller where = caller::here()) const {
    return backend::vote(backend::vote_count{}, barrier_, alignment, predicate, where);
  }
  // Returns whether the predicate is true in every thread, as named_barrier::sync_and. bar.red.and.
  template <class Alignment = aligned_t>
  [[nodiscard]] CUDASYNC_DEVICE bool sync_and(bool predicate, Alignment alignment = {},
                                              caller where = caller::here()) const {
    return backend::vote(backend::vote_and{}, barrier_, alignment, predicate, where) != 0;
  }
  // Returns whether the predicate is true in any thread, as named_barrier::sync_or. bar.red.or.
  template <class Alignment = aligned_t>
  [[nodiscard]] CUDASYNC_DEVICE bool sync_or(bool predicate, Alignment alignment = {},
                                             caller where = caller::here()) const {
    return backend::vote(backend::vote_or{}, barrier_, alignment, predicate, where) != 0;
  }

 private:
  backend::register_barrier barrier_;
};

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
