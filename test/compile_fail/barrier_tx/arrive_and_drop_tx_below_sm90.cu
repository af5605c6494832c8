// Before sm_90 a thread that drops out expects no bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier_arrive_and_drop_tx needs sm_90: older architectures cannot count bytes; use arrive_and_drop there
// ARCHS: 75 80
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void leave(block_barrier& bar) {
  static_cast<void>(cudasync::device::barrier_arrive_and_drop_tx(bar, 1024));
}
#else
__device__ void leave(block_barrier& bar) {
  bar.arrive_and_drop();
}
#endif
