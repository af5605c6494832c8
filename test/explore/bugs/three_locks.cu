// Three blocks in a circle, each with a lock between itself and the next one: each takes its left lock and then its right one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0)  // reported
    __nanosleep(100);                 // reported
  __threadfence();
}
__device__ void give_back(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void three_locks(int* data) {
  const unsigned left = blockIdx.x, right = (blockIdx.x + 1) % 3;
  const unsigned first = left;  // wrong
  // right: const unsigned first = left < right ? left : right;
  int *const one = data + 64 * first, *const other = data + 64 * (left + right - first);
  take(one);
  take(other);
  give_back(other);
  give_back(one);
}

int main() {
  return launch(three_locks, 3, 1);
}
