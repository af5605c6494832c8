// Two groups of warps take turns by named barriers, and nobody gives the first turn.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"

__device__ inline void wait_for_turn(int group) {
  asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");  // reported
}
__device__ inline void give_turn(int group) {
  asm volatile("bar.arrive %0, 128;" ::"r"(1 + group) : "memory");
}

extern "C" __global__ void first_turn_missing(int* data) {
  __shared__ int turns;
  const int group = threadIdx.x / 64;
  if (threadIdx.x == 0) turns = 0;
  __syncthreads();
  // right: if (group == 1) give_turn(0);
  for (int turn = 0; turn < 3; ++turn) {
    wait_for_turn(group);  // reported
    if (threadIdx.x % 64 == 0) turns += 1;
    give_turn(1 - group);
  }
  // right: if (group == 0) wait_for_turn(0);
  if (threadIdx.x % 64 == 0) data[group] = turns;
}

int main() {
  return launch(first_turn_missing, 1, 128);
}
