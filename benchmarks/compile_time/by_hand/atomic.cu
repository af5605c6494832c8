// Loads, stores and adds, in PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void kernel(int* data, int* number, unsigned* count) {
  unsigned before;
  int value;
  asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(count), "r"(1) : "memory");
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(number) : "memory");
  data[before] = value;
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(number), "r"(1) : "memory");
}
