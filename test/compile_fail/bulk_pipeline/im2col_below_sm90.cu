// Before sm_90 there is no copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline needs sm_90: older architectures have no bulk copies; use cuda::pipeline there, or compile with
// ARCHS: 80
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(ring& pipe, ring::producer_state at, void* pixels, const void* source) {
  pipe.copy_im2col(at, pixels, static_cast<const CUtensorMap*>(source), {0, 7, 7, 1}, {1, 2});
}
#else
__device__ void use(cuda::pipeline<cuda::thread_scope_block>& pipe) {
  pipe.producer_acquire();
  pipe.producer_commit();
}
#endif
