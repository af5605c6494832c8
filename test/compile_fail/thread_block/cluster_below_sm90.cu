// Before sm_90 there are no clusters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: thread_cluster needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#include <cudasync/thread_block.h>

__device__ void misuse() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::this_cluster().sync();
#else
  cudasync::this_thread_block().sync();
#endif
}
