// Before sm_90 a thread has no rank in a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 80
#include <cudasync/thread_block.h>

__device__ void misuse(unsigned* rank) {
#if defined(CUDASYNC_EXPECT_ERROR)
  *rank = cudasync::this_cluster().thread_rank();
#else
  *rank = cudasync::this_thread_block().thread_rank();
#endif
}
