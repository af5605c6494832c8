// A kernel that takes a permit and gives it back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/semaphore>

__global__ void kernel(float* data, cuda::counting_semaphore<cuda::thread_scope_device>* permits) {
  permits->acquire();
  data[threadIdx.x] += 1;
  permits->release();
}
