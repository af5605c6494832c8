// Each thread looks whether a table is there before it takes the lock that protects it. The first look is an ordinary load.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void double_checked_init(int* data) {
  int *ready = data + 64, *lock = data + 128;
  if (*ready == 0) {  // wrong, reported
                      // right: if (atomicAdd(ready, 0) == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    if (atomicAdd(ready, 0) == 0) {  // reported
      data[0] = 42;                  // reported
      __threadfence();
      atomicExch(ready, 1);  // reported
    }
    __threadfence();
    atomicExch(lock, 0);
  }
  __threadfence();
  data[8 + blockIdx.x] = data[0];  // reported
}

int main() {
  return launch(double_checked_init, 3, 1);
}
