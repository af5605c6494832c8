// Two guards would wait twice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

__device__ void stay() {
  const cudasync::cluster_exit_guard guard;
#if defined(CUDASYNC_EXPECT_ERROR)
  const cudasync::cluster_exit_guard other(guard);
#else
  static_cast<void>(guard);
#endif
}
