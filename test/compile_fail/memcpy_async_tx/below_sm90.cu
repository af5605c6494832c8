// Before sm_90 there is no bulk copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async_tx needs sm_90: older architectures have no bulk copies; copy by assignment there, or compile with
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);
}
#else
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  destination[threadIdx.x] = source[threadIdx.x];
  bar.arrive_and_wait();
}
#endif
