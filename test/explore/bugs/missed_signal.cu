// A thread that waits is only woken if it has announced itself, and it looks at the value before that alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
// It must look again after the announcement.
#include "launch.h"

extern "C" __global__ void missed_signal(int* data) {
  int *const value = data, *const waits = data + 64, *const wakes = data + 128;
  if (blockIdx.x == 0) {
    if (atomicAdd(value, 0) == 0) {
      atomicExch(waits, 1);
      // right: if (atomicAdd(value, 0) != 0) return;
      while (atomicAdd(wakes, 0) == 0)  // reported
        __nanosleep(100);               // reported
    }
  } else {
    atomicExch(value, 1);
    if (atomicAdd(waits, 0) != 0) atomicExch(wakes, 1);
  }
}

int main() {
  return launch(missed_signal, 2, 1);
}
