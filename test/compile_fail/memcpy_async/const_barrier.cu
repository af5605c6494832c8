// The copy changes the barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, [[maybe_unused]] const block_barrier& read_only,
                     block_barrier& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::memcpy_async(destination, source, sizeof(int), read_only);
  bar.arrive_and_wait();
#else
  cuda::memcpy_async(destination, source, sizeof(int), bar);
#endif
}
