// A pipeline is made for a group of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: make_pipeline needs a group, which has thread_rank\(\), size\(\) and sync\(\); give this_thread_block\(\)
// ABSENT: class type|has no member|is not a structure
#include <cuda/pipeline>

__device__ void misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>* state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  auto pipe = cuda::make_pipeline(threadIdx.x, state, 1);
#else
  auto pipe = cuda::make_pipeline(cudasync::this_thread_block(), state, 1);
#endif
  pipe.quit();
}
