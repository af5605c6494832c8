// The copy is noted in the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, [[maybe_unused]] const block_pipeline& read_only,
                     block_pipeline& pipe) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::memcpy_async(destination, source, sizeof(int), read_only);
  pipe.producer_commit();
#else
  cuda::memcpy_async(destination, source, sizeof(int), pipe);
#endif
}
