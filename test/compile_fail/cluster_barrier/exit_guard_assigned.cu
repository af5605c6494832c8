// A guard stands for its own scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

__device__ void stay(cudasync::cluster_exit_guard& guard) {
#if defined(CUDASYNC_EXPECT_ERROR)
  guard = cudasync::cluster_exit_guard();
#else
  static_cast<void>(guard);
#endif
}
