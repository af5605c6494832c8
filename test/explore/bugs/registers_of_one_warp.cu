// A producer warp gives its registers back alone: setmaxnreg is for all four warps of a warpgroup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: divergence
#include "launch.h"

__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");  // reported
}

extern "C" __global__ void registers_of_one_warp(int* data) {
  const unsigned warp = threadIdx.x / 32;
  if (warp < 4) {
    // right: give_registers();
    if (warp == 0) {
      give_registers();  // wrong, reported
      data[threadIdx.x] = 1;
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    data[threadIdx.x] = 2;
  }
}

int main() {
  return launch(registers_of_one_warp, 1, 256);
}
