// for_each_canceled_block, for_each_canceled_cluster: blocks take over the work of blocks that have not started.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_WORK_STEALING_H
#define CUDASYNC_WORK_STEALING_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/backend/grid/launch_device.h>
#include <cudasync/backend/order/proxy_device.h>
#include <cudasync/backend/phase/block_phase.h>
#include <cudasync/barrier.h>
#include <cudasync/checked/ring_device.h>
#include <cudasync/checked/transaction.h>
#include <cudasync/core/assert.h>
#include <cudasync/core/bits.h>
#include <cudasync/core/caller.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/scope.h>
#include <cudasync/core/target.h>
#include <cudasync/core/traits.h>
#include <cudasync/hang/kind.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/clusterlaunchcontrol.h>
#include <cudasync/ptx/mbarrier.h>
#include <cudasync/ptx/special_registers.h>
#include <cudasync/thread_block.h>

namespace cudasync { inline namespace CUDASYNC_ABI {

// The response to a request, and the barrier on which it completes.
struct canceled_launch {
  uint128 response;
  barrier<thread_scope_block> bar;
};

// One per block. A block asks for blocks in one call only, so that all calls can share it.
CUDASYNC_DEVICE canceled_launch& this_blocks_canceled_launch() {
  __shared__ canceled_launch launch;
  return launch;
}

template <class Function>
using called_with_block_index = decltype(declval<Function&>()(declval<dim3>()));

template <int Rank, class Function>
CUDASYNC_DEVICE void check_canceled_call([[maybe_unused]] caller where = caller::here()) {
  static_assert(Rank >= 1 && Rank <= 3,
                "for_each_canceled_block<rank>, for_each_canceled_cluster<rank>: a grid has 1 to 3 dimensions");
  static_assert(
      is_valid<called_with_block_index, Function>,
      "for_each_canceled_block, for_each_canceled_cluster: the function takes the index of a block; give a function "
      "or a lambda such as [&](dim3 block_index) { ... }");
  CUDASYNC_ASSERT((Rank >= 2 || gridDim.y == 1) && (Rank >= 3 || gridDim.z == 1),
                  "for_each_canceled_block<rank>, for_each_canceled_cluster<rank>: the grid has more dimensions");
}

template <int Rank, class Function>
CUDASYNC_DEVICE void run_canceled_blocks(target::any, Function& function,
                                         [[maybe_unused]] caller where = caller::here()) {
  function(dim3(blockIdx.x, blockIdx.y, blockIdx.z));
}

CUDASYNC_DEVICE void ask_for_block(ptx::shared_address response, ptx::shared_address bar,
                                   caller where = caller::here()) {
  constexpr uint32 bytes = backend::launch_response_bytes;
  static_cast<void>(
      checked::arrive_with_bytes(bar, 1, bytes, [=] { return ptx::mbarrier_arrive_expect_tx(bar, bytes); }, where));
  checked::record_copied(bar, bytes, where);
  ptx::clusterlaunchcontrol_try_cancel(response, bar);
}

// A request is on its way while the function runs.
template <int Rank, class Function>
CUDASYNC_DEVICE void run_canceled_blocks(target::sm100 here, Function& function, caller where = caller::here()) {
  canceled_launch& launch = this_blocks_canceled_launch();
  const ptx::shared_address response = ptx::to_shared(&launch.response);
  const ptx::shared_address bar = ptx::to_shared(&launch.bar);
  const bool asks = thread_block::thread_rank() == 0;
  if (asks) {
    init(&launch.bar, 1, where);
    backend::publish_initialized_barriers(here);
    ask_for_block(response, bar, where);
  }
  __syncthreads();
  dim3 index(blockIdx.x, blockIdx.y, blockIdx.z);
  for (uint32 parity = 0;; parity ^= 1) {
    function(index);
    checked::await_ring<1>(bar, parity, 0, checked::role::consumer, where);
    const uint128 answer = ptx::ld_shared_v2(response);
    if (!backend::was_canceled(here, answer)) return;
    index = backend::first_block<Rank>(here, answer);
    __syncthreads();  // all threads have read the answer
    if (asks) {
      backend::fence_before_arrival(here);
      ask_for_block(response, bar, where);
    }
  }
}

// A wait that acquires at cluster scope is that of any number of blocks above one.
inline constexpr uint32 several_blocks = 2;

CUDASYNC_DEVICE void ask_for_cluster(target::sm100 here, ptx::shared_address response, ptx::shared_address bar,
                                     caller where = caller::here()) {
  checked::record_copied_to_others(bar, backend::launch_response_bytes, where);
  backend::expect_launch_in_cluster(here, bar, ptx::get_sreg_cluster_nctarank());
  ptx::clusterlaunchcontrol_try_cancel_multicast(response, bar);
}

template <int Rank, class Function>
CUDASYNC_DEVICE void run_canceled_clusters_of_blocks(target::sm100 here, Function& function,
                                                     caller where = caller::here()) {
  canceled_launch& launch = this_blocks_canceled_launch();
  const ptx::shared_address response = ptx::to_shared(&launch.response);
  const ptx::shared_address bar = ptx::to_shared(&launch.bar);
  const bool asks = thread_cluster::thread_rank() == 0;
  if (thread_block::thread_rank() == 0) {
    init(&launch.bar, 1, where);
    checked::record_others(bar);
    backend::publish_initialized_barriers(here);
  }
  thread_cluster::sync();
  if (asks) ask_for_cluster(here, response, bar, where);
  dim3 index(blockIdx.x, blockIdx.y, blockIdx.z);
  for (uint32 parity = 0;; parity ^= 1) {
    function(index);
    checked::await_ring<several_blocks>(bar, parity, 0, checked::role::consumer, where);
    const uint128 answer = ptx::ld_shared_v2(response);
    if (!backend::was_canceled(here, answer)) return;
    const dim3 first = backend::first_block<Rank>(here, answer);
    index.x = first.x + ptx::get_sreg_cluster_ctaid_x();
    index.y = first.y + ptx::get_sreg_cluster_ctaid_y();
    index.z = first.z + ptx::get_sreg_cluster_ctaid_z();
    backend::fence_before_arrival(here);
    thread_cluster::sync();  // all threads of the cluster have read the answer
    if (asks) ask_for_cluster(here, response, bar, where);
  }
}

template <int Rank, class Function>
CUDASYNC_DEVICE void run_canceled_clusters(target::any here, Function& function, caller where = caller::here()) {
  run_canceled_blocks<Rank>(here, function, where);
}
template <int Rank, class Function>
CUDASYNC_DEVICE void run_canceled_clusters(target::sm100 here, Function& function, caller where = caller::here()) {
  if (ptx::get_sreg_cluster_nctarank() == 1)
    run_canceled_blocks<Rank>(here, function, where);
  else if constexpr (backend::cancels_launches_for_clusters<target::here>)
    run_canceled_clusters_of_blocks<Rank>(here, function, where);
  else
    run_canceled_blocks<Rank>(target::any{}, function, where);
}

// Calls the function with the index of this block. Then cancels blocks of the grid that have not started, and calls the
// function with the index of each of them, until none is left. Launch one block for each part of the work: a block that
// is done takes over parts of others, and its prologue and epilogue run once. All threads of the block call it, once in
// a kernel. Rank: the number of dimensions of the grid, 1 to 3. Before sm_100, it calls the function once, with the
// index of this block.
//
// Ordering: none. Threads may run the function for one index while others still run it for the previous one.
// Synchronize them in the function before it uses shared memory again.
template <int Rank = 3, class Function = void>
CUDASYNC_DEVICE void for_each_canceled_block(Function function, caller where = caller::here()) {
  check_canceled_call<Rank, Function>(where);
  run_canceled_blocks<Rank>(target::here{}, function, where);
}

// Calls the function with the index of this block. Then cancels clusters of the grid that have not started, and calls
// the function in each block of this cluster with the index of the block that has its place in the canceled cluster,
// until none is left. All threads of all blocks of the cluster call it, once in a kernel. Rank: the number of
// dimensions of the grid, 1 to 3. Before sm_100, and for clusters of several blocks in code for plain sm_100 (without
// the suffix a or f), it calls the function once, with the index of this block.
// Ordering: none, as for_each_canceled_block.
template <int Rank = 3, class Function = void>
CUDASYNC_DEVICE void for_each_canceled_cluster(Function function, caller where = caller::here()) {
  check_canceled_call<Rank, Function>(where);
  run_canceled_clusters<Rank>(target::here{}, function, where);
}

}}  // namespace cudasync::CUDASYNC_ABI

#endif  // CUDASYNC_CUDA

#endif
