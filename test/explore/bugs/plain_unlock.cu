// A lock that is taken by an atomic operation, and given back by an ordinary store.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void plain_unlock(int* data) {
  int* lock = data + 64;
  while (atomicCAS(lock, 0, 1) != 0) {  // reported
  }
  __threadfence();
  ++data[0];
  __threadfence();
  *lock = 0;  // wrong, reported
  // right: atomicExch(lock, 0);
}

int main() {
  return launch(plain_unlock, 3, 1);
}
