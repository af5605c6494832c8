// A loop that polls with an ordinary load: the compiler may load once, and the L1 cache may keep the line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void weak_poll(int* data) {
  int* flag = data + 64;
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(flag, 1);  // reported
  } else {
    while (*flag == 0) {  // wrong, reported
                          // right: while (atomicAdd(flag, 0) == 0) {
      __nanosleep(100);
    }
  }
}

int main() {
  return launch(weak_poll, 2, 1);
}
