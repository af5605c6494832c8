// Takes a permit and gives it back, in PTX, without a queue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void kernel(float* data, unsigned* permits) {
  for (unsigned found = 0, seen = 1; found != seen;) {
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(found) : "l"(permits) : "memory");
    seen = found + 1;
    if (found != 0)
      asm volatile("atom.acquire.gpu.cas.b32 %0, [%1], %2, %3;"
                   : "=r"(seen)
                   : "l"(permits), "r"(found), "r"(found - 1)
                   : "memory");
  }
  data[threadIdx.x] += 1;
  asm volatile("red.release.gpu.add.u32 [%0], %1;" ::"l"(permits), "r"(1) : "memory");
}
