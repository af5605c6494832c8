// The hardware would take id 16 for 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier: a block has 16 barriers; give an id of 0 to 15
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::named_barrier<16, 64>::sync();
#else
  cudasync::named_barrier<15, 64>::sync();
#endif
}
