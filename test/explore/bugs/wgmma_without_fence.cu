// The first wgmma.mma_async has no wgmma.fence before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void wgmma_without_fence(float* data) {
  __shared__ alignas(128) unsigned short left[64 * 16], right[16 * 8];
  for (int index = threadIdx.x; index < 64 * 16; index += 128)
    left[index] = 0x3c00;  // 1
  right[threadIdx.x] = 0x3c00;
  fence_async();
  __syncthreads();
  float sum[4] = {data[0], data[1], 0, 0};
  // right: multiply_fence();
  multiply(sum, left, right);  // reported
  multiply_wait<0>();
  data[128 + threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

int main() {
  return launch(wgmma_without_fence, 1, 128);
}
