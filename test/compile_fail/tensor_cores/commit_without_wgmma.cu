// Only sm_90a has wgmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: consumer_warpgroups needs wgmma, which only sm_90a has; compile with -gencode arch=compute_90a,code=sm_90a
// ARCHS: 90 100a 120a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warpgroups<2>>;

__device__ void misuse([[maybe_unused]] ring& pipe, [[maybe_unused]] ring::consumer_state& at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.consumer_commit(at);
#else
  pipe.consumer_wait(at);
#endif
}
