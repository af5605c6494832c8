// Counts down a latch and waits for it, in PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void kernel(float* data, long long* done) {
  data[threadIdx.x] += 1;
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(done)), "l"(-1ll) : "memory");
  for (long long left = 1; left != 0;)
    asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(left) : "l"(done) : "memory");
}
