// Before sm_90 nobody can arrive at a cluster's barrier, whatever the order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 80
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  static_cast<void>(cluster_barrier::arrive(cudasync::memory_order_relaxed));
#else
  __syncthreads();
#endif
}
