// Producer and consumer begin with each other's parity: both wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void swapped_phases(int* data) {
  __shared__ mbarrier full, empty;
  __shared__ int value;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 1);
  }
  __syncthreads();
  for (unsigned step = 0; step < 4; ++step)
    if (threadIdx.x == 0) {
      wait(&empty, step % 2);  // wrong, reported
      // right: wait(&empty, step % 2 ^ 1);
      value = static_cast<int>(step);
      arrive(&full);
    } else {
      wait(&full, step % 2);  // reported
      data[step] = value;
      arrive(&empty);
    }
}

int main() {
  return launch(swapped_phases, 1, 2);
}
