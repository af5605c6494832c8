// No barrier has cluster scope, and hence no pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no barrier has cluster scope yet: use thread_scope_block in one block, thread_scope_device across blocks
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ cuda::pipeline_shared_state<cuda::thread_scope_cluster, 2> state;
#else
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> state;
#endif
