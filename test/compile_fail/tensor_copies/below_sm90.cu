// Before sm_90 there is no bulk copy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk copies need sm_90: compile with -arch=sm_90 or newer
// ARCHS: 75 80
#include <cudasync/compat/tensor_copies.h>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store(int* destination, const int* source) {
  cuda::device::experimental::cp_async_bulk_shared_to_global(destination, source, 1024);
}
#else
__device__ void store(int* destination, const int* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif
