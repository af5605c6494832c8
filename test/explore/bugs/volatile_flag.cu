// A volatile flag between blocks, without a fence between it and the data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void volatile_flag(int* data) {
  volatile int* flag = data + 64;
  if (blockIdx.x == 0) {
    data[0] = 42;  // reported
    // right: __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    // right: __threadfence();
    data[1] = data[0];  // reported
  }
}

int main() {
  return launch(volatile_flag, 2, 1);
}
