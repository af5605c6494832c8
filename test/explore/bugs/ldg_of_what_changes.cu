// A loop over time steps reads the values of the last step with __ldg, whose cache need not see what other blocks wrote.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include <cooperative_groups.h>

extern "C" __global__ void ldg_of_what_changes(int* data) {
  const unsigned index = 32 * blockIdx.x + threadIdx.x;
  for (int step = 0; step < 2; ++step) {
    const int* from = data + 256 * (step % 2);
    const int left = __ldg(from + (index + 63) % 64);  // wrong, reported
    // right: const int left = from[(index + 63) % 64];
    data[256 * (1 - step % 2) + index] = left + 1;  // reported
    cooperative_groups::this_grid().sync();
  }
}

int main() {
  return launch(ldg_of_what_changes, 2, 32);
}
