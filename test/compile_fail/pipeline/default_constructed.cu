// A pipeline comes from make_pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (the default constructor of \"[^\"]*pipeline.*\" cannot be referenced -- it is a deleted function|default constructor.* deleted|use of deleted function)
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  block_pipeline pipe;
  static_cast<void>(state);
#else
  block_pipeline pipe = cuda::make_pipeline(cudasync::this_thread_block(), state);
  pipe.quit();
#endif
}
