// The copy engine moves 16 bytes at a time, to the cache as elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: prefetch_to_l2 needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align the buffer
#include <cuda/pipeline>

__device__ void prefetch(const float* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::device::prefetch_to_l2(source, cuda::aligned_size_t<8>(1024));
#else
  cudasync::device::prefetch_to_l2(source, cuda::aligned_size_t<16>(1024));
#endif
}
