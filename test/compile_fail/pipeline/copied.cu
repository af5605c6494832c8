// Two handles would each think that it comes next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
// COMPILERS: nvrtc nvcc
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ void misuse(block_pipeline& pipe) {
#if defined(CUDASYNC_EXPECT_ERROR)
  block_pipeline other = pipe;
  other.quit();
#else
  block_pipeline other = static_cast<block_pipeline&&>(pipe);
  other.quit();
#endif
}
