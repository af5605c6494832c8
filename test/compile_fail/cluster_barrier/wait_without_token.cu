// Who has not arrived does not wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function.*wait|no matching function
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cluster_barrier::wait();
#else
  cluster_barrier::wait(cluster_barrier::arrive());
#endif
}
