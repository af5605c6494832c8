// A ring has a stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: pipeline_shared_state<scope, n>: a pipeline has at least one stage
// COMPILERS: nvrtc nvcc
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 0> state;
#else
__device__ cuda::pipeline_shared_state<cuda::thread_scope_device, 1> state;
#endif
