// named_barrier: one of the sixteen barriers that a block has in hardware, as a type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_NAMED_BARRIER_H
#define CUDASYNC_NAMED_BARRIER_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/named_barrier_device.h>
#include <cudasync/checked/watch.h>
#include <cudasync/core/alignment.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/traits.h>
#include <cudasync/trace/span.h>

namespace cudasync {
inline namespace CUDASYNC_ABI {

inline constexpr uint32 all_threads_of_block = 0;

// Threads of a block meet: some of them, in whole warps (a warp whose threads have exited in part counts as 32), or all.
// A phase completes when warps of so many threads have called sync or arrive; then the next one begins. Those that called
// sync wait for it. No object is needed, and nothing is initialized: the barriers are the block's.
//
//   using halves_meet = cudasync::named_barrier<1, 256>;    // id 1, 256 threads
//   halves_meet::sync();
//
// A warp must not come twice in one phase: after an arrive it must know, by another barrier, that the phase has completed.
// named_channel sees to that. Id 0 is the barrier of __syncthreads() and of groups that stand for the block; so leave it,
// or take ids from named_barrier_ids.
//
// Ordering: what a thread did before sync, arrive or a reduction is visible, in its block, to those that return from
// sync or a reduction of the phase.
//
// Source: PTX, bar and barrier. The id and the number are immediates: ptxas checks them, and reserves the barriers from 0 to
// the highest id: so low ids are better.
//
// In the checked build a model takes the place of the barriers, but for 0 and those of all threads, and
// tells of warps that come twice, do not come or expect another number. There all threads that meet must do it by this
// class, not by PTX of their own.
template <uint32 Id, uint32 Threads = all_threads_of_block>
class named_barrier {
  static_assert(Id < 16, "named_barrier: a block has 16 barriers; give an id of 0 to 15");
  static_assert(Threads % 32 == 0, "named_barrier: whole warps meet; give a multiple of 32 threads");
  static_assert(Threads <= 1024, "named_barrier: a block has at most 1024 threads; give 32 to 1024");

  using barrier = backend::immediate_barrier<Id, Threads>;

 public:
  static constexpr uint32 id = Id;
  static constexpr uint32 threads = Threads;

  named_barrier() = default;

  // Arrives and waits for the phase to complete. bar.sync, or barrier.sync.
  CUDASYNC_DEVICE static void sync(CUDASYNC_ONLY_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    backend::sync(barrier{}, aligned_t{}); }
  CUDASYNC_DEVICE static void sync(unaligned_t CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    backend::sync(barrier{}, unaligned); }

  // Arrives, and does not wait. bar.arrive, or barrier.arrive.
  CUDASYNC_DEVICE static void arrive(CUDASYNC_ONLY_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_arrive, trace::subject(Id) CUDASYNC_PASS_CALLER);
    arrive_as(aligned_t{}); }
  CUDASYNC_DEVICE static void arrive(unaligned_t CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_arrive, trace::subject(Id) CUDASYNC_PASS_CALLER);
    arrive_as(unaligned); }

  // As sync; all threads of the phase call the same one of these three, and nobody calls arrive. They return the number of
  // threads whose predicate is true, whether all are, and whether any is: as __syncthreads_count, _and and _or. bar.red.
  [[nodiscard]] CUDASYNC_DEVICE static uint32 sync_count(bool predicate CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    return backend::red_popc(barrier{}, aligned_t{}, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE static uint32 sync_count(bool predicate, unaligned_t CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    return backend::red_popc(barrier{}, unaligned, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE static bool sync_and(bool predicate CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    return backend::red_and(barrier{}, aligned_t{}, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE static bool sync_and(bool predicate, unaligned_t CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    return backend::red_and(barrier{}, unaligned, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE static bool sync_or(bool predicate CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    return backend::red_or(barrier{}, aligned_t{}, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE static bool sync_or(bool predicate, unaligned_t CUDASYNC_CALLER) {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(Id) CUDASYNC_PASS_CALLER);
    return backend::red_or(barrier{}, unaligned, predicate);
  }

 private:
  template <class Alignment>
  CUDASYNC_DEVICE static void arrive_as(Alignment alignment) {
    static_assert(Threads != all_threads_of_block || !is_same<Alignment, Alignment>,
                  "named_barrier::arrive needs the number of threads: give it as the second template argument, "
                  "arrivals and waits together");
    if constexpr (Threads != all_threads_of_block) backend::arrive(barrier{}, alignment);
  }
};

// The same for an id, or a number of threads, that only the run tells: one of a table of barriers, say. It costs more:
// ptxas then reserves all sixteen barriers for the kernel, so that fewer blocks may share a multiprocessor; and nothing is
// checked but in the checked build: the hardware takes the id modulo 16.
class dynamic_named_barrier {
 public:
  // id: 0 to 15. threads: a multiple of 32, to 1024.
  CUDASYNC_DEVICE dynamic_named_barrier(uint32 id, uint32 threads CUDASYNC_CALLER) : barrier_{id, threads} {
    CUDASYNC_ASSERT(id < 16, "dynamic_named_barrier: a block has 16 barriers; give an id of 0 to 15");
    CUDASYNC_ASSERT(threads % 32 == 0 && 0 < threads && threads <= 1024,
                    "dynamic_named_barrier: whole warps meet; give 32 to 1024 threads, a multiple of 32");
  }

  CUDASYNC_DEVICE void sync(CUDASYNC_ONLY_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    backend::sync(barrier_, aligned_t{}); }
  CUDASYNC_DEVICE void sync(unaligned_t CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    backend::sync(barrier_, unaligned); }
  CUDASYNC_DEVICE void arrive(CUDASYNC_ONLY_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_arrive, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    backend::arrive(barrier_, aligned_t{}); }
  CUDASYNC_DEVICE void arrive(unaligned_t CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_arrive, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    backend::arrive(barrier_, unaligned); }
  [[nodiscard]] CUDASYNC_DEVICE uint32 sync_count(bool predicate CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    return backend::red_popc(barrier_, aligned_t{}, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE uint32 sync_count(bool predicate, unaligned_t CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    return backend::red_popc(barrier_, unaligned, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE bool sync_and(bool predicate CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    return backend::red_and(barrier_, aligned_t{}, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE bool sync_and(bool predicate, unaligned_t CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    return backend::red_and(barrier_, unaligned, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE bool sync_or(bool predicate CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    return backend::red_or(barrier_, aligned_t{}, predicate);
  }
  [[nodiscard]] CUDASYNC_DEVICE bool sync_or(bool predicate, unaligned_t CUDASYNC_CALLER) const {
    CUDASYNC_NOTE_CALL();
    const trace::span traced(trace::action::named_sync, trace::subject(barrier_.id) CUDASYNC_PASS_CALLER);
    return backend::red_or(barrier_, unaligned, predicate);
  }

 private:
  backend::register_barrier barrier_;
};

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif  // CUDASYNC_CUDA

#endif
