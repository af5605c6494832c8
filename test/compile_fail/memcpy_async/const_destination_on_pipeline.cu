// What is const is not written, on a pipeline as with a barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(const int* destination, const int* source, block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(int), pipe);
}
#else
__device__ void copy(int* destination, const int* source, block_pipeline& pipe) {
  cuda::memcpy_async(destination, source, sizeof(int), pipe);
}
#endif
