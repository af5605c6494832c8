// No number converts to a barrier by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void start() {
  block_barrier bar = 32;
  bar.arrive_and_wait();
}
#else
__device__ void start() {
  block_barrier bar(32);
  bar.arrive_and_wait();
}
#endif
