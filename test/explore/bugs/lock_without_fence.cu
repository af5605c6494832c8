// A spin lock of two atomic operations, which are relaxed: what it protects is not ordered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void lock_without_fence(int* data) {
  int* lock = data + 64;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  // right: __threadfence();
  ++data[0];  // reported
  // right: __threadfence();
  atomicExch(lock, 0);
}

int main() {
  return launch(lock_without_fence, 3, 1);
}
