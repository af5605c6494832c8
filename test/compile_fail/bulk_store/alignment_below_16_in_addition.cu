// The copy engine adds 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_store needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
#include <cuda/pipeline>

__device__ void store(float* destination, const float* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<8>(1024));
#else
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
#endif
}
