// What is const is not written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(const int* destination, const int* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(int), bar);
}
#else
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  cuda::memcpy_async(destination, source, sizeof(int), bar);
}
#endif
