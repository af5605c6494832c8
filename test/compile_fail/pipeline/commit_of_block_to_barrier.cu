// A block's pipeline has barriers of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*pipeline_producer_commit
#include <cuda/pipeline>

using block_pipeline = cuda::pipeline<cuda::thread_scope_block>;

__device__ void misuse(block_pipeline& pipe, [[maybe_unused]] cuda::barrier<cuda::thread_scope_block>& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::pipeline_producer_commit(pipe, bar);
#else
  pipe.producer_commit();
#endif
}
