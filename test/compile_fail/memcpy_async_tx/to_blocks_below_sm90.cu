// Before sm_90 there are neither a copy engine nor clusters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async_tx needs sm_90: older architectures have no bulk copies
// ARCHS: 75 80
#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void copy(int* destination, const int* source, barrier_of_cluster& bar) {
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);
}
#else
using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  destination[threadIdx.x] = source[threadIdx.x];
  bar.arrive_and_wait();
}
#endif
