// Whole warps come to a named barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier: whole warps take part; give a multiple of 32 threads
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::named_barrier<1, 48>::sync();
#else
  cudasync::named_barrier<1, 64>::sync();
#endif
}
