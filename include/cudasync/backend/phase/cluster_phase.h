// The phase of a cluster's barrier: an mbarrier in one block, on which threads of all blocks of the cluster may arrive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_PHASE_CLUSTER_PHASE_H
#define CUDASYNC_BACKEND_PHASE_CLUSTER_PHASE_H

#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/core/integers.h>

#if CUDASYNC_CUDA
#include <cudasync/core/assert.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#endif

// The functions of a block's phase (block_phase.h) at cluster scope: arrivals release and waits acquire at that scope.
// On the host, which has no clusters, it is the same as a block's phase.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

struct cluster_phase : block_phase {
  cluster_phase() = default;
  CUDASYNC_API cluster_phase(uint64 count, empty_completion completion);
};

#if CUDASYNC_CUDA

// The hardware cannot wait for an mbarrier of another block.
CUDASYNC_DEVICE ptx::shared_address require_own(const cluster_phase& phase) {
  CUDASYNC_ASSERT(ptx::is_shared_to_assert(&phase),
                  "barrier<thread_scope_cluster> must be in this block's shared memory; to arrive in another block, "
                  "use a remote_barrier");
  if (!ptx::is_shared(&phase)) __trap();
  return ptx::to_shared(&phase);
}

template <class Unused = void>
CUDASYNC_DEVICE bool test_in_cluster(ptx::shared_address bar, phase_token which) {
  return ptx::mbarrier_try_wait(ptx::sem_acquire_t{}, ptx::scope_cluster_t{}, bar, which.value);
}
template <class Unused = void>
CUDASYNC_DEVICE bool test_in_cluster(ptx::shared_address bar, phase_parity which) {
  return ptx::mbarrier_try_wait_parity(ptx::sem_acquire_t{}, ptx::scope_cluster_t{}, bar, which.odd);
}

// Without a pause of the hardware.
template <class Unused = void>
CUDASYNC_DEVICE bool look_in_cluster(ptx::shared_address bar, phase_token which) {
  return ptx::mbarrier_test_wait(ptx::sem_acquire_t{}, ptx::scope_cluster_t{}, bar, which.value);
}
template <class Unused = void>
CUDASYNC_DEVICE bool look_in_cluster(ptx::shared_address bar, phase_parity which) {
  return ptx::mbarrier_test_wait_parity(ptx::sem_acquire_t{}, ptx::scope_cluster_t{}, bar, which.odd);
}

CUDASYNC_DEVICE bool test_mbarrier_until(ptx::scope_cluster_t, ptx::shared_address bar, phase_token which,
                                         uint64 time) {
  return ptx::mbarrier_test_wait_until_time_cluster(bar, which.value, time);
}
CUDASYNC_DEVICE bool test_mbarrier_until(ptx::scope_cluster_t, ptx::shared_address bar, phase_parity which,
                                         uint64 time) {
  return ptx::mbarrier_test_wait_until_time_cluster_parity(bar, which.odd, time);
}

CUDASYNC_DEVICE void init(target::sm90, cluster_phase& phase, uint64 expected, empty_completion) {
  ptx::mbarrier_init(require_own(phase), static_cast<uint32>(expected));
}

CUDASYNC_DEVICE void invalidate(target::sm90, cluster_phase& phase) {
  ptx::mbarrier_inval(require_own(phase));
}

template <class Unused = void>
CUDASYNC_DEVICE uint64 arrive(target::sm90, cluster_phase& phase, uint64 update) {
  return ptx::mbarrier_arrive(ptx::sem_release_t{}, ptx::scope_cluster_t{}, require_own(phase),
                              static_cast<uint32>(update));
}

template <class Unused = void>
CUDASYNC_DEVICE void arrive_and_drop(target::sm90, cluster_phase& phase) {
  static_cast<void>(ptx::mbarrier_arrive_drop(ptx::sem_release_t{}, ptx::scope_cluster_t{}, require_own(phase), 1));
}

template <class Which>
CUDASYNC_DEVICE bool wait(target::sm90, const cluster_phase& phase, Which which, uint64 limit) {
  const ptx::shared_address bar = require_own(phase);
  if (limit == 0) return look_in_cluster(bar, which);  // without the clock
  if (limit != forever) return await_mbarrier_for(ptx::scope_cluster_t{}, bar, which, limit);
  while (!test_in_cluster(bar, which)) {
  }
  return true;
}

template <class Which>
CUDASYNC_DEVICE bool try_wait(target::sm90, const cluster_phase& phase, Which which) {
  return test_in_cluster(require_own(phase), which);
}

template <class Unused = void>
CUDASYNC_DEVICE void arrive_and_wait(target::sm90 here, cluster_phase& phase) {
  const uint64 token = arrive(here, phase, 1);
  static_cast<void>(wait(here, phase, phase_token{token}, forever));
}

#endif  // CUDASYNC_CUDA

CUDASYNC_API cluster_phase::cluster_phase(uint64 count, empty_completion) {
  init(target::here{}, *this, count, empty_completion{});
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif
