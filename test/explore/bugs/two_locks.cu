// Two blocks take two locks in opposite order.
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

extern "C" __global__ void two_locks(int* data) {
  int *const here = data + 64, *const there = data + 128;
  int* const first = blockIdx.x == 0 ? here : there;  // wrong
  // right: int* const first = here;
  int* const second = first == here ? there : here;
  take(first);
  take(second);
  ++data[0];
  give_back(second);
  give_back(first);
}

int main() {
  return launch(two_locks, 2, 1);
}
