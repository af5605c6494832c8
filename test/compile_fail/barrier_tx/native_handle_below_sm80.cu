// Before sm_80 a barrier is a counter, and has no mbarrier to hand out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier_native_handle needs sm_80: on older architectures, a barrier is not an mbarrier; compile with -arch=sm_80 or newer
// ARCHS: 70 75
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void* address(block_barrier& bar) {
  return cuda::device::barrier_native_handle(bar);
}
#else
__device__ void* address(block_barrier& bar) {
  return &bar;
}
#endif
