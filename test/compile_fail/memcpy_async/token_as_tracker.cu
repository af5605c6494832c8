// A copy completes on the barrier, not on a token of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, block_barrier& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  auto token = bar.arrive();
  cuda::memcpy_async(destination, source, sizeof(int), token);
#else
  cuda::memcpy_async(destination, source, sizeof(int), bar);
  auto token = bar.arrive();
  bar.wait(static_cast<decltype(token)&&>(token));
#endif
}
