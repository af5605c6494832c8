// Requests to cancel the launch of a cluster of the grid, and their responses, in one or all blocks of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_BACKEND_GRID_LAUNCH_DEVICE_H
#define CUDASYNC_BACKEND_GRID_LAUNCH_DEVICE_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/core/bits.h>
#include <cudasync/core/integers.h>
#include <cudasync/core/target.h>
#include <cudasync/ptx/address.h>
#include <cudasync/ptx/clusterlaunchcontrol.h>
#include <cudasync/ptx/mbarrier_qualified.h>
#include <cudasync/ptx/qualifiers.h>

namespace cudasync { inline namespace CUDASYNC_ABI { namespace backend {

// Whether blocks can cancel launches, and whether a whole cluster can get the response: only code for one specific
// architecture (sm_100a) or family (sm_100f) has multicast, the same code that has setmaxnreg.
template <class Here>
inline constexpr bool cancels_launches = target::is_at_least<Here, target::sm100>;
template <class Here>
inline constexpr bool cancels_launches_for_clusters = cancels_launches<Here> && target::has_setmaxnreg;

inline constexpr uint32 launch_response_bytes = 16;

// Expects the response in every block of the cluster: the copy engine counts the bytes of each block on the barrier of
// that block, and a block that did not expect them would wait forever. The thread that makes the request calls it, so
// that no block can forget it. The bytes may be counted before they are expected, because the arrival is still missing.
// Relaxed: the thread has nothing to publish, and a release would wait until all its stores are visible.
#if CUDASYNC_PTX_ISA >= 86  // every toolkit for sm_100
CUDASYNC_DEVICE void expect_launch_in_block(target::sm100, ptx::shared_address bar, uint32 block) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_relaxed_t{}, ptx::scope_cluster_t{}, ptx::mapa(bar, block),
                                 launch_response_bytes);
}
#else
CUDASYNC_DEVICE void expect_launch_in_block(target::sm100, ptx::shared_address, uint32) {}
#endif
template <uint32 Blocks>
CUDASYNC_DEVICE void expect_launch_in_cluster(target::sm100 here, ptx::shared_address bar) {
  for (uint32 block = 0; block < Blocks; ++block)
    expect_launch_in_block(here, bar, block);
}
CUDASYNC_DEVICE void expect_launch_in_cluster(target::sm100 here, ptx::shared_address bar, uint32 blocks) {
#pragma unroll 1
  for (uint32 block = 0; block < blocks; ++block)
    expect_launch_in_block(here, bar, block);
}

// Returns whether the request has canceled a cluster.
CUDASYNC_DEVICE bool was_canceled(target::sm100, uint128 response) {
  return ptx::clusterlaunchcontrol_query_cancel_is_canceled(response);
}

// Returns the index of the first block of the canceled cluster, in the dimensions that the grid has.
template <int Rank>
CUDASYNC_DEVICE dim3 first_block(target::sm100, uint128 response) {
  dim3 first(ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_x(response), 0, 0);
  if constexpr (Rank >= 2) first.y = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_y(response);
  if constexpr (Rank >= 3) first.z = ptx::clusterlaunchcontrol_query_cancel_get_first_ctaid_z(response);
  return first;
}

}}}  // namespace cudasync::CUDASYNC_ABI::backend

#endif  // CUDASYNC_CUDA

#endif
