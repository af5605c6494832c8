// Before sm_90 a phase has no bytes to complete.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier_complete_tx needs sm_90: older architectures cannot count bytes; compile with -arch=sm_90 or newer
// ARCHS: 75 80
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void account(block_barrier& bar) {
  cudasync::device::barrier_complete_tx(bar, 1024);
}
#else
__device__ void account(block_barrier& bar) {
  static_cast<void>(bar.arrive());
}
#endif
