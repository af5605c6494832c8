// Threads of other blocks cannot wait for a stage, so a pipeline cannot have cluster scope.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a pipeline cannot have cluster scope, because threads of other blocks cannot wait for a stage
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ cuda::pipeline_shared_state<cuda::thread_scope_cluster, 2> state;
#else
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 2> state;
#endif
