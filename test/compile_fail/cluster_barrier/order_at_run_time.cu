// The order is part of the instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function|no matching function
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet([[maybe_unused]] cudasync::memory_order order) {
#if defined(CUDASYNC_EXPECT_ERROR)
  auto token = cluster_barrier::arrive(order);
#else
  auto token = cluster_barrier::arrive(cudasync::memory_order_relaxed);
#endif
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
}
