// Only an arrival makes a token.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (default )?constructor .*inaccessible|is inaccessible|is private
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cluster_barrier::arrival_token token;
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
#else
  cluster_barrier::arrival_token token = cluster_barrier::arrive();
  cluster_barrier::wait(static_cast<decltype(token)&&>(token));
#endif
}
