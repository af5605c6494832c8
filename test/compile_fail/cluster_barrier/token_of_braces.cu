// Only an arrival makes a token, and braces do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: inaccessible|is private|no instance of
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cluster_barrier::wait({});
#else
  cluster_barrier::wait(cluster_barrier::arrive());
#endif
}
