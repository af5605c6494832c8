// barrier.cluster: the hardware barrier of all threads of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_BARRIER_CLUSTER_H
#define CUDASYNC_PTX_BARRIER_CLUSTER_H

#include <cudasync/core/config.h>
#include <cudasync/ptx/qualifiers.h>

// With .aligned, all threads of a warp must execute the instruction together.
namespace cudasync { inline namespace CUDASYNC_ABI { namespace ptx {

// clang-format off
#define CUDASYNC_BARRIER_CLUSTER(FUNCTION, INSTRUCTION, SEM)                                   \
  CUDASYNC_DEVICE void FUNCTION(SEM) { asm volatile(INSTRUCTION ";" ::: "memory"); }

//                       function                        instruction                               .sem
// PTX 7.8, sm_90. Arrives at the barrier of the cluster. Does not block. Releases.
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_arrive,         "barrier.cluster.arrive",                 )
// PTX 7.8, sm_90. Blocks until all threads of the cluster have arrived. Acquires.
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_wait,           "barrier.cluster.wait",                   )
// PTX 8.0, sm_90. Arrives at the barrier of the cluster. Does not block. Releases.
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_arrive,         "barrier.cluster.arrive.release",         sem_release_t)
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_arrive_aligned, "barrier.cluster.arrive.release.aligned", sem_release_t)
// PTX 8.0, sm_90. Arrives at the barrier of the cluster. Does not block. Orders nothing.
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_arrive,         "barrier.cluster.arrive.relaxed",         sem_relaxed_t)
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_arrive_aligned, "barrier.cluster.arrive.relaxed.aligned", sem_relaxed_t)
// PTX 8.0, sm_90. Blocks until all threads of the cluster have arrived. Acquires.
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_wait,           "barrier.cluster.wait.acquire",           sem_acquire_t)
CUDASYNC_BARRIER_CLUSTER(barrier_cluster_wait_aligned,   "barrier.cluster.wait.acquire.aligned",   sem_acquire_t)
#undef CUDASYNC_BARRIER_CLUSTER
// clang-format on

}}}  // namespace cudasync::CUDASYNC_ABI::ptx

#endif
