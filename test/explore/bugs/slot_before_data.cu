// A queue whose slots are given out by atomicAdd. That a slot was given out does not mean that its data is there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void slot_before_data(int* data) {
  int *const given = data + 64, *const ready = data + 128;
  if (blockIdx.x == 0) {
    const int slot = atomicAdd(given, 1);
    data[slot] = 42;  // reported
    __threadfence();
    atomicAdd(ready, 1);
  } else {
    while (atomicAdd(given, 0) == 0) {  // wrong
      // right: while (atomicAdd(ready, 0) == 0) {
    }
    __threadfence();
    data[32] = data[0];  // reported
  }
}

int main() {
  return launch(slot_before_data, 2, 1);
}
