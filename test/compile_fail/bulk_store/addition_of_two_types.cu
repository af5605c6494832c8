// Source and destination are of one type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*bulk_store_add
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void add(int* destination, const float* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void add(float* destination, const float* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif
