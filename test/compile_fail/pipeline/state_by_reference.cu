// make_pipeline takes the address of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*make_pipeline
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ block_pipeline misuse(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>& state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cuda::make_pipeline(cudasync::this_thread_block(), state);
#else
  return cuda::make_pipeline(cudasync::this_thread_block(), &state);
#endif
}
