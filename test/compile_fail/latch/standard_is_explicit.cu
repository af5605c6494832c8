// No number converts to the standard's latch by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/std/latch>

__device__ void start() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::std::latch all = 32;
  all.count_down();
#else
  cuda::std::latch all(32);
  all.count_down();
#endif
}
