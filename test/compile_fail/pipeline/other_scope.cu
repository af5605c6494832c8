// The scope of a pipeline is that of its state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable user-defined conversion|could not convert|conversion
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ block_pipeline misuse([[maybe_unused]] cuda::pipeline_shared_state<cuda::thread_scope_device, 2>& wide,
                                 [[maybe_unused]] cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cuda::make_pipeline(cudasync::this_thread_block(), &wide);
#else
  return cuda::make_pipeline(cudasync::this_thread_block(), &state);
#endif
}
