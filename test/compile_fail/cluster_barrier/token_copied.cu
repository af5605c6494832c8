// One arrival is for one wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
  auto token = cluster_barrier::arrive();
#if defined(CUDASYNC_EXPECT_ERROR)
  auto other = token;
#else
  auto other = static_cast<decltype(token)&&>(token);
#endif
  cluster_barrier::wait(static_cast<decltype(other)&&>(other));
}
