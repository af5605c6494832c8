// The fence is behind the flag. It must be between the data and the flag.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void fence_after_flag(int* data) {
  int* flag = data + 64;
  if (blockIdx.x == 0) {
    data[0] = 42;  // reported
    // right: __threadfence();
    atomicExch(flag, 1);
    __threadfence();  // wrong
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    data[1] = data[0];  // reported
  }
}

int main() {
  return launch(fence_after_flag, 2, 1);
}
