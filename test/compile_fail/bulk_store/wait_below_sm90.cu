// Before sm_90 there is no copy engine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk copies need sm_90: older architectures have no copy engine; copy by assignment there, or compile with -arch=sm_90 or newer
// ARCHS: 80
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void store() {
  cudasync::device::bulk_wait();
}
#else
__device__ void store(float* destination, const float* source) {
  destination[threadIdx.x] = source[threadIdx.x];
}
#endif
