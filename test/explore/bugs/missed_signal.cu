// A waiting thread announces itself, and the other one wakes it only if it sees the announcement. The value is looked at before
// the announcement, and not again after it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
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
