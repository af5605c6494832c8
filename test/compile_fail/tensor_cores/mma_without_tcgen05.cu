// Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: consumer_mma needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a, and use consumer_warpgroups on sm_90a
// ARCHS: 90a 100 120a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma>;

__device__ void misuse([[maybe_unused]] ring& pipe, [[maybe_unused]] ring::consumer_state& at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.consumer_commit(at);
#else
  pipe.consumer_wait(at);
#endif
}
