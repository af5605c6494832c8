// Each function of ptx/barrier_cluster.h is exactly its instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ARCHS: 90+
// NVCC: 90
// The SASS of the kernels, in the order of their names:
// SASS-LABEL: arrive:
// SASS: UCGABAR_ARV
// SASS-LABEL: arrive_relaxed:
// SASS-NOT: {{MEMBAR|FENCE}}
// SASS: UCGABAR_ARV
// SASS-LABEL: wait:
// SASS: UCGABAR_WAIT
#include <cudasync/ptx/barrier_cluster.h>
#include <cudasync/ptx/tags.h>

using namespace cudasync::ptx;

// PTX-LABEL: .entry arrive_by_default(
// PTX: barrier.cluster.arrive;
// PTX-NOT: barrier.cluster
extern "C" __global__ void arrive_by_default() {
  barrier_cluster_arrive();
}

// PTX-LABEL: .entry arrive(
// PTX: barrier.cluster.arrive.release;
// PTX-NOT: barrier.cluster
extern "C" __global__ void arrive() {
  barrier_cluster_arrive(sem_release);
}

// PTX-LABEL: .entry arrive_relaxed(
// PTX: barrier.cluster.arrive.relaxed;
// PTX-NOT: barrier.cluster
extern "C" __global__ void arrive_relaxed() {
  barrier_cluster_arrive(sem_relaxed);
}

// PTX-LABEL: .entry wait_by_default(
// PTX: barrier.cluster.wait;
// PTX-NOT: barrier.cluster
extern "C" __global__ void wait_by_default() {
  barrier_cluster_wait();
}

// PTX-LABEL: .entry wait(
// PTX: barrier.cluster.wait.acquire;
// PTX-NOT: barrier.cluster
extern "C" __global__ void wait() {
  barrier_cluster_wait(sem_acquire);
}

// PTX-LABEL: .entry arrive_aligned(
// PTX: barrier.cluster.arrive.release.aligned;
// PTX-NOT: barrier.cluster
extern "C" __global__ void arrive_aligned() {
  barrier_cluster_arrive_aligned(sem_release);
}

// PTX-LABEL: .entry arrive_relaxed_aligned(
// PTX: barrier.cluster.arrive.relaxed.aligned;
// PTX-NOT: barrier.cluster
extern "C" __global__ void arrive_relaxed_aligned() {
  barrier_cluster_arrive_aligned(sem_relaxed);
}

// PTX-LABEL: .entry wait_aligned(
// PTX: barrier.cluster.wait.acquire.aligned;
// PTX-NOT: barrier.cluster
extern "C" __global__ void wait_aligned() {
  barrier_cluster_wait_aligned(sem_acquire);
}
