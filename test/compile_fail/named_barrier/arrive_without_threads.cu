// All threads of a block cannot be those of whom some only arrive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_barrier::arrive needs the number of threads: give it as the second template argument, counting arriving and waiting threads together
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

__device__ void hand_over() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::named_barrier<1>::arrive();
#else
  cudasync::named_barrier<1, 256>::arrive();
#endif
}
