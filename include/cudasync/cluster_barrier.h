// cluster_barrier: the hardware barrier of a cluster. Guards that keep its blocks running; barriers in other blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CLUSTER_BARRIER_H
#define CUDASYNC_CLUSTER_BARRIER_H

#include <cudasync/compat/include_order.h>

#include <cudasync/bulk_store.h>
#include <cudasync/checked/phase.h>
#include <cudasync/cluster/remote_barrier.h>
#include <cudasync/core/config.h>
#include <cudasync/core/memory_order_constants.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/order/access_device.h>
#include <cudasync/core/alignment.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/memory_order.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/barrier_cluster.h>
#include <cudasync/trace/span.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The hardware barrier of all threads of the calling thread's cluster. It needs no object and no initialization.
// Threads that have exited count as arrived. sm_90 and newer. In a kernel that is not launched with clusters, the
// cluster is the block, and the hardware uses barrier 0 of the block, which is the barrier of __syncthreads().
//
//   auto token = cudasync::cluster_barrier::arrive();      // does not block
//   ...                                                    // what needs no other block
//   cudasync::cluster_barrier::wait(std::move(token));
//
// The token ensures that a thread cannot wait without having arrived. A discarded token gives a warning, because the
// hardware requires that each thread arrives and waits alternately.
//
// Ordering: what a thread did before arrive is visible in the cluster to every thread after its wait. With
// memory_order_relaxed, accesses are not ordered: use it for phases that synchronize only execution.
//
// Source: PTX, barrier.cluster. In the usual form, all threads of a warp make a call together (.aligned). With the tag
// unaligned, each thread may make the call by itself.
class cluster_barrier {
 public:
  // Proof of an arrival, for wait.
  class [[nodiscard]] arrival_token {
   public:
    arrival_token(arrival_token&&) = default;
    arrival_token& operator=(arrival_token&&) = default;

   private:
    friend class cluster_barrier;
    CUDASYNC_DEVICE arrival_token() {}
  };

  // Arrives. Does not block. Returns the token for wait. Whole warps call it. order: memory_order_release,
  // at cluster scope, or memory_order_relaxed; others fail to compile. barrier.cluster.arrive.aligned.
  template <memory_order Order = memory_order::release, class Here = target::here>
  CUDASYNC_DEVICE static arrival_token arrive([[maybe_unused]] order_constant<Order> order = {}) {
    check_order<Order, Here>();
    const trace::span traced(trace::action::cluster_arrive, trace::subject(uint32{0}));
    ptx::barrier_cluster_arrive_aligned(backend::store_sem_on_device<Order>{});
    return {};
  }
  // Arrives. Does not block. Each thread of a warp may call it by itself. barrier.cluster.arrive.
  template <memory_order Order = memory_order::release, class Here = target::here>
  CUDASYNC_DEVICE static arrival_token arrive(unaligned_t, [[maybe_unused]] order_constant<Order> order = {}) {
    check_order<Order, Here>();
    const trace::span traced(trace::action::cluster_arrive, trace::subject(uint32{0}));
    ptx::barrier_cluster_arrive(backend::store_sem_on_device<Order>{});
    return {};
  }

  // Blocks until all threads of the cluster have arrived. Acquires at cluster scope. All threads of the warp call it
  // together. barrier.cluster.wait.aligned.
  template <class Here = target::here>
  CUDASYNC_DEVICE static void wait(arrival_token&&, [[maybe_unused]] caller where = caller::here()) {
    check_order<memory_order::release, Here>();
    const trace::span traced(trace::action::cluster_wait, trace::subject(uint32{0}), where);
    [[maybe_unused]] const checked::meeting met(where, true);
    ptx::barrier_cluster_wait_aligned(ptx::sem_acquire_t{});
  }
  // Blocks until all threads of the cluster have arrived. Each thread may call it by itself. barrier.cluster.wait.
  template <class Here = target::here>
  CUDASYNC_DEVICE static void wait(arrival_token&&, unaligned_t, [[maybe_unused]] caller where = caller::here()) {
    check_order<memory_order::release, Here>();
    const trace::span traced(trace::action::cluster_wait, trace::subject(uint32{0}), where);
    [[maybe_unused]] const checked::meeting met(where, true);
    ptx::barrier_cluster_wait(ptx::sem_acquire_t{});
  }

  // Arrives, and blocks until all threads of the cluster have arrived. Releases and acquires at cluster scope. All
  // threads of the warp call it together.
  template <class Here = target::here>
  CUDASYNC_DEVICE static void arrive_and_wait(caller where = caller::here()) {
    wait<Here>(arrive(), where);
  }
  // Arrives, and blocks until all threads of the cluster have arrived. Threads of a warp may call it separately.
  template <class Here = target::here>
  CUDASYNC_DEVICE static void arrive_and_wait(unaligned_t, caller where = caller::here()) {
    wait<Here>(arrive(unaligned), unaligned, where);
  }

 private:
  template <memory_order Order, class Here>
  CUDASYNC_DEVICE static void check_order() {
    static_assert(
        !target::lacks<Here, target::sm90>,
        "cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer");
    static_assert(Order == memory_order::release || Order == memory_order::relaxed,
                  "cluster_barrier::arrive releases or is relaxed: use memory_order_release or memory_order_relaxed");
  }
};

// Keeps the blocks of a cluster running, and their shared memory valid, until all threads of the cluster have reached
// the end of its scope. It is for kernels whose blocks arrive, copy, load or store in each other's memory. Every thread
// of the cluster that has not exited by then makes one, and waits for the others at the end of its scope.
template <class Here = target::here>
class basic_cluster_exit_guard {
 public:
  // Does nothing. The destructor waits for all threads of the cluster.
  CUDASYNC_DEVICE basic_cluster_exit_guard() {}
  basic_cluster_exit_guard(const basic_cluster_exit_guard&) = delete;
  basic_cluster_exit_guard& operator=(const basic_cluster_exit_guard&) = delete;
  CUDASYNC_DEVICE ~basic_cluster_exit_guard() {
    checked::note_exit(target::here{});
    static_cast<void>(cluster_barrier::arrive(unaligned));
    const trace::span traced(trace::action::cluster_wait, trace::subject(uint32{0}));
    ptx::barrier_cluster_wait(ptx::sem_acquire_t{});
  }
};
// Keeps the blocks of a cluster running until all threads of the cluster have reached the end of its scope.
using cluster_exit_guard = basic_cluster_exit_guard<>;

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif

#if CUDASYNC_VERSION != 200
#error "cudasync: two versions in one translation unit; leave one of the two on the include path"
#endif
