// Before sm_80 a token is not the state of an mbarrier, and tells no count.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier_pending_count needs sm_80: on older architectures, a token is not the state of an mbarrier; compile with -arch=sm_80
// ARCHS: 70 75
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ auto arrive(block_barrier& bar) {
  return cudasync::device::barrier_pending_count(bar.arrive());
}
#else
__device__ auto arrive(block_barrier& bar) {
  return bar.arrive();
}
#endif
