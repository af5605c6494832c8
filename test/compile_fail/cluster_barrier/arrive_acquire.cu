// To arrive acquires nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: cluster_barrier::arrive releases or is relaxed: use memory_order_release or memory_order_relaxed
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  auto token = cluster_barrier::arrive(cudasync::memory_order_acquire);
#else
  auto token = cluster_barrier::arrive(cudasync::memory_order_release);
#endif
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}
