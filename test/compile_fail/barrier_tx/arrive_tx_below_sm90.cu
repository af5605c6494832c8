// Before sm_90 a barrier counts arrivals only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier_arrive_tx needs sm_90: older architectures cannot count bytes; use arrive there, or compile with -arch=sm_90
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void arrive(block_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));
}
#else
__device__ void arrive(block_barrier& bar) {
  static_cast<void>(bar.arrive());
}
#endif
