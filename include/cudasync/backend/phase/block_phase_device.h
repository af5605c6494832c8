// A block's barrier as an mbarrier: on sm_80 and newer, if it is in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_BLOCK_PHASE_DEVICE_H
#define CUDASYNC_BACKEND_PHASE_BLOCK_PHASE_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/backend/phase/gate_phase.h>
#include <cudasync/core/assert.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/fence.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/qualifiers.h>
#if CUDASYNC_DEVICE_PASS || CUDASYNC_CUDA_CLANG
#include <cudasync/backend/order/access_device.h>
#include <cudasync/ptx/atom.h>
#include <cudasync/ptx/ld_st.h>
#endif

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

using mbarrier_target = target::here_or_minimum<target::sm80>::type;

// Whether the barrier is an mbarrier. A constant if the compiler can see that the object is __shared__.
CUDASYNC_DEVICE bool is_mbarrier(const block_phase& phase) {
  return ptx::is_shared(&phase);
}

// For operations that only an mbarrier supports. A barrier in other memory ends the kernel, also in the release build.
CUDASYNC_DEVICE ptx::shared_address require_mbarrier(const void* bar) {
  CUDASYNC_ASSERT(ptx::is_shared_to_assert(bar),
                  "transactions and remote arrivals need a barrier in shared memory: pass its address in this block");
  if (!ptx::is_shared(bar)) __trap();
  return ptx::to_shared(bar);
}

// A barrier of another block of the cluster, which block scope does not include, ends the kernel.
CUDASYNC_DEVICE void reject_remote(target::sm80, const block_phase&) {}

template <class Phase>
CUDASYNC_DEVICE void reject_remote(target::sm90, const Phase& phase) {
  CUDASYNC_ASSERT(!ptx::is_known_cluster_shared(ptx::tested_address(&phase)),
                  "barrier<thread_scope_block> of another block: use barrier<thread_scope_cluster> and remote_barrier");
  if (ptx::is_known_cluster_shared(ptx::tested_address(&phase))) __trap();
}

// The target of the counter of a barrier that is not an mbarrier: its words are in global memory or automatic, and code
// for other memories would take most of the time to compile a barrier. The functions are inlined: if a loop with a wait
// can call a function, ptxas (13.0) adds a YIELD to each of its iterations, with which a phase of 1,024 threads takes
// 326 cycles instead of 259 (H200).
struct counter_target : mbarrier_target {
  template <class Phase>
  CUDASYNC_DEVICE explicit counter_target(const Phase& phase) : is_automatic(knows_automatic(&phase).is_known) {
    reject_remote(mbarrier_target{}, phase);
  }

  bool is_automatic;
};

#if CUDASYNC_DEVICE_PASS || CUDASYNC_CUDA_CLANG  // clang's host pass instantiates device functions
template <thread_scope>
CUDASYNC_DEVICE uint32 load_relaxed(counter_target here, const uint32& word) {
  return here.is_automatic ? word : ptx::ld(ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&word));
}
template <thread_scope>
CUDASYNC_DEVICE uint32 load_acquire(counter_target here, const uint32& word) {
  return here.is_automatic ? word : ptx::ld(ptx::sem_acquire_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&word));
}
template <thread_scope>
CUDASYNC_DEVICE void store_release(counter_target here, uint32& word, uint32 value) {
  if (!here.is_automatic)
    return ptx::st(ptx::sem_release_t{}, ptx::scope_cta_t{}, ptx::to_global_pointer(&word), value);
  word = value;
}
template <thread_scope>
CUDASYNC_DEVICE uint32 fetch_add_release(counter_target here, uint32& word, uint32 value) {
  if (here.is_automatic) return (word += value) - value;
  return ptx::atom(ptx::sem_release_t{}, ptx::scope_cta_t{}, ptx::op_add_t{}, ptx::to_global_pointer(&word), value);
}
template <thread_scope>
CUDASYNC_DEVICE uint32 fetch_add_relaxed(counter_target here, uint32& word, uint32 value) {
  if (here.is_automatic) return (word += value) - value;
  return ptx::atom(ptx::sem_relaxed_t{}, ptx::scope_cta_t{}, ptx::op_add_t{}, ptx::to_global_pointer(&word), value);
}
#endif

template <class Phase>
CUDASYNC_DEVICE uint64 arrive_on_counter(Phase& phase, uint64 update) {
  return to_token(count_down(counter_target(phase), phase, static_cast<uint32>(update))).value;
}
template <class Phase>
CUDASYNC_DEVICE bool wait_on_counter(const Phase& phase, phase_token token, uint64 limit) {
  return await_flip<thread_scope_block>(counter_target(phase), phase, to_word<uint32>(token), limit);
}

CUDASYNC_DEVICE bool test_mbarrier(target::sm80, ptx::shared_address bar, phase_token which) {
  return ptx::mbarrier_test_wait(bar, which.value);
}

CUDASYNC_DEVICE bool test_mbarrier(target::sm80, ptx::shared_address bar, phase_parity which) {
  return ptx::mbarrier_test_wait_parity(bar, which.odd);
}

CUDASYNC_DEVICE bool test_mbarrier(target::sm90, ptx::shared_address bar, phase_token which) {
  return ptx::mbarrier_try_wait(bar, which.value);
}

CUDASYNC_DEVICE bool test_mbarrier(target::sm90, ptx::shared_address bar, phase_parity which) {
  return ptx::mbarrier_try_wait_parity(bar, which.odd);
}

// These functions always return true, which the compiler does not know.
CUDASYNC_DEVICE bool repeat_test(ptx::shared_address bar, phase_token which) {
  return ptx::mbarrier_test_wait_until(bar, which.value);
}

CUDASYNC_DEVICE bool repeat_test(ptx::shared_address bar, phase_parity which) {
  return ptx::mbarrier_test_wait_until_parity(bar, which.odd);
}

CUDASYNC_DEVICE bool test_mbarrier_until(ptx::scope_cta_t, ptx::shared_address bar, phase_token which, uint64 time) {
  return ptx::mbarrier_test_wait_until_time(bar, which.value, time);
}

CUDASYNC_DEVICE bool test_mbarrier_until(ptx::scope_cta_t, ptx::shared_address bar, phase_parity which, uint64 time) {
  return ptx::mbarrier_test_wait_until_time_parity(bar, which.odd, time);
}

// The loop is in assembly. The wait acquires at this scope.
template <class Scope, class Which>
CUDASYNC_DEVICE bool await_mbarrier_for(Scope scope, ptx::shared_address bar, Which which, uint64 limit) {
  const uint64 start = now(target::sm70{});
  return test_mbarrier_until(scope, bar, unnamed(which), limit < forever - start ? start + limit : forever);
}

// ptxas moves the first try in front of the work between the arrival and the wait, so the two overlap. On sm_80, where
// the try does not suspend the thread, the loop after it is in assembly, and the first try is only worth its
// instructions if there is work. The loop around it ends in its first iteration. It keeps the compiler, which considers
// a wait to be one cheap instruction, from unrolling the caller's loop.
template <class Which>
CUDASYNC_DEVICE void await_mbarrier(target::sm80 here, ptx::shared_address bar, Which which,
                                    bool is_after = is_after_work<Which>) {
  if (is_after && test_mbarrier(here, bar, unnamed(which))) return;
  while (!repeat_test(bar, unnamed(which))) {
  }
}
template <class Which>
CUDASYNC_DEVICE void await_mbarrier(target::sm90 here, ptx::shared_address bar, Which which, bool = false) {
  while (!test_mbarrier(here, bar, unnamed(which))) {
  }
}

CUDASYNC_DEVICE uint64 arrive_on_mbarrier(target::sm80, block_phase& phase, uint64 update) {
  const ptx::shared_address bar = ptx::to_shared(&phase);
  if (update > 1) static_cast<void>(ptx::mbarrier_arrive_no_complete(bar, static_cast<uint32>(update - 1)));
  return ptx::mbarrier_arrive(bar);
}

CUDASYNC_DEVICE uint64 arrive_on_mbarrier(target::sm90, block_phase& phase, uint64 update) {
  return ptx::mbarrier_arrive(ptx::to_shared(&phase), static_cast<uint32>(update));
}

CUDASYNC_DEVICE void init(target::sm80, block_phase& phase, uint64 expected, empty_completion) {
  if (is_mbarrier(phase))
    ptx::mbarrier_init(ptx::to_shared(&phase), static_cast<uint32>(expected));
  else
    init(target::any{}, phase, expected, empty_completion{});
}

// Makes init visible to arrivals from other blocks and to byte counts of the asynchronous proxy, with a fence for each.
CUDASYNC_DEVICE void publish_initialized_barriers(target::sm90 here) {
  ptx::fence_mbarrier_init(ptx::sem_release_t{}, ptx::scope_cluster_t{});
  fence_before_arrival(here);
}

CUDASYNC_DEVICE void invalidate(target::sm80, block_phase& phase) {
  if (is_mbarrier(phase)) ptx::mbarrier_inval(ptx::to_shared(&phase));
}

template <class Unused = void>
CUDASYNC_DEVICE uint64 arrive(target::sm80, block_phase& phase, uint64 update) {
  if (!is_mbarrier(phase)) return arrive_on_counter(phase, update);
  return arrive_on_mbarrier(mbarrier_target{}, phase, update);
}

template <class Unused = void>
CUDASYNC_DEVICE void arrive_and_drop(target::sm80, block_phase& phase) {
  if (is_mbarrier(phase))
    static_cast<void>(ptx::mbarrier_arrive_drop(ptx::to_shared(&phase)));
  else
    drop_out(counter_target(phase), phase);
}

template <class Which>
CUDASYNC_DEVICE bool wait(target::sm80, const block_phase& phase, Which which, uint64 limit) {
  if (!is_mbarrier(phase)) return wait_on_counter(phase, to_token(which), limit);
  if (limit == 0) return test_mbarrier(target::sm80{}, ptx::to_shared(&phase), unnamed(which));  // without the clock
  if (limit != forever) return await_mbarrier_for(ptx::scope_cta_t{}, ptx::to_shared(&phase), which, limit);
  await_mbarrier(mbarrier_target{}, ptx::to_shared(&phase), which);
  return true;
}

template <class Which>
CUDASYNC_DEVICE bool try_wait(target::sm80, const block_phase& phase, Which which) {
  if (!is_mbarrier(phase)) return wait_on_counter(phase, to_token(which), 0);
  return test_mbarrier(mbarrier_target{}, ptx::to_shared(&phase), which);
}

template <class Unused = void>
CUDASYNC_DEVICE void arrive_and_wait(target::sm80, block_phase& phase) {
  if (is_mbarrier(phase)) {
    const ptx::shared_address bar = ptx::to_shared(&phase);
    await_mbarrier(mbarrier_target{}, bar, phase_token{ptx::mbarrier_arrive(bar)}, false);
  } else {
    static_cast<void>(wait_on_counter(phase, {arrive_on_counter(phase, 1)}, forever));
  }
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
