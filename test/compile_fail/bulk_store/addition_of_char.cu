// The copy engine does not add bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_store_add needs elements that the copy engine can add: integers of 4 or 8 bytes, float, double, __half or __nv_bfloat16
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void add(char* destination, const char* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#else
__device__ void add(int* destination, const int* source) {
  cudasync::device::bulk_store_add(destination, source, cuda::aligned_size_t<16>(1024));
}
#endif
