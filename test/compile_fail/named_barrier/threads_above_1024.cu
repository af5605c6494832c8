// A block has at most 1024 threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier: a block has at most 1024 threads; give 32 to 1024
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::named_barrier<1, 1056>::sync();
#else
  cudasync::named_barrier<1, 1024>::sync();
#endif
}
