// What is const is not written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (no instance of|is incompatible with parameter)
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store(const float* destination, const float* source) {
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void store(float* destination, const float* source) {
  cudasync::device::bulk_store(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif
