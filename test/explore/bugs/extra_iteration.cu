// The consumer's loop has one iteration more than the producer's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void extra_iteration(int* data) {
  __shared__ mbarrier full, empty;
  __shared__ int value;
  const unsigned steps = 3;
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&empty, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned step = 0; step < steps; ++step) {
      wait(&empty, step % 2 ^ 1);
      value = static_cast<int>(step);
      arrive(&full);
    }
  } else {
    for (unsigned step = 0; step <= steps; ++step) {  // wrong
                                                      // right: for (unsigned step = 0; step < steps; ++step) {
      wait(&full, step % 2);                          // reported
      data[step] = value;
      arrive(&empty);
    }
  }
}

int main() {
  return launch(extra_iteration, 1, 2);
}
