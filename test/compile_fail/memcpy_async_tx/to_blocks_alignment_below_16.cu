// The copy engine moves 16 bytes at a time, to several blocks as to one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
#include <cuda/barrier>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void copy(int* destination, const int* source, barrier_of_cluster& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<8>(1024), bar, 3);
#else
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);
#endif
}
