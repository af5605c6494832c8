// Only a thread's own pipeline knows what came before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*pipeline_consumer_wait_prior
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ void misuse(block_pipeline& pipe) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::pipeline_consumer_wait_prior<1>(pipe);
#else
  pipe.consumer_wait();
#endif
}
