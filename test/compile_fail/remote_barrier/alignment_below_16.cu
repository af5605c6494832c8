// The copy engine moves 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier::memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size to 16 bytes
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

__device__ void send(cudasync::remote_barrier there, int* destination, const int* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<8>(1024));
#else
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));
#endif
}
