// A kernel that counts down a latch and waits for it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/latch>

__global__ void kernel(float* data, cuda::latch<cuda::thread_scope_device>* done) {
  data[threadIdx.x] += 1;
  done->count_down();
  done->wait();
}
