// Before sm_90 nobody can wait at a cluster's barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cluster_barrier needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 80
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet([[maybe_unused]] cluster_barrier::arrival_token& token) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cluster_barrier::wait(static_cast<cluster_barrier::arrival_token&&>(token));
#else
  __syncthreads();
#endif
}
