// A plain size promises no alignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_store needs a size that is a multiple of 16 bytes, as aligned_size_t<16>.bytes.
#include <cuda/pipeline>

__device__ void store(float* destination, const float* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::device::bulk_store(destination, source, 4096);
#else
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));
#endif
}
