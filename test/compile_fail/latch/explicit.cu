// No number converts to a latch by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/latch>

__device__ void start() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::latch<cuda::thread_scope_block> all = 32;
  all.count_down();
#else
  cuda::latch<cuda::thread_scope_block> all(32);
  all.count_down();
#endif
}
