// barrier.cluster: the hardware barrier of all threads of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_PTX_BARRIER_CLUSTER_H
#define CUDASYNC_PTX_BARRIER_CLUSTER_H

#include <cudasync/core/config.h>
#include <cudasync/ptx/qualifiers.h>

// With .aligned, all threads of a warp must execute the instruction together.
namespace cudasync {
inline namespace CUDASYNC_ABI {
namespace ptx {

// PTX 7.8, sm_90. Arrives at the barrier of the cluster. Does not block. Releases.
CUDASYNC_DEVICE void barrier_cluster_arrive() {
  asm volatile("barrier.cluster.arrive;" ::: "memory");
}

// PTX 8.0, sm_90. Arrives at the barrier of the cluster. Does not block. Releases.
CUDASYNC_DEVICE void barrier_cluster_arrive(sem_release_t) {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}

// PTX 8.0, sm_90. Arrives at the barrier of the cluster. Does not block. Orders nothing.
CUDASYNC_DEVICE void barrier_cluster_arrive(sem_relaxed_t) {
  asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

// PTX 7.8, sm_90. Blocks until all threads of the cluster have arrived. Acquires.
CUDASYNC_DEVICE void barrier_cluster_wait() {
  asm volatile("barrier.cluster.wait;" ::: "memory");
}

// PTX 8.0, sm_90. Blocks until all threads of the cluster have arrived. Acquires.
CUDASYNC_DEVICE void barrier_cluster_wait(sem_acquire_t) {
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// PTX 8.0, sm_90. Arrives at the barrier of the cluster. Does not block. Releases.
CUDASYNC_DEVICE void barrier_cluster_arrive_aligned(sem_release_t) {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// PTX 8.0, sm_90. Arrives at the barrier of the cluster. Does not block. Orders nothing.
CUDASYNC_DEVICE void barrier_cluster_arrive_aligned(sem_relaxed_t) {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// PTX 8.0, sm_90. Blocks until all threads of the cluster have arrived. Acquires.
CUDASYNC_DEVICE void barrier_cluster_wait_aligned(sem_acquire_t) {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

}  // namespace ptx
}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#endif
