// Before sm_90 there is no cluster whose blocks could be counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 80
#include <cudasync/thread_block.h>

__device__ void misuse(unsigned* blocks) {
#if defined(CUDASYNC_EXPECT_ERROR)
  *blocks = cudasync::this_cluster().num_blocks();
#else
  *blocks = gridDim.x;
#endif
}
