// A kernel that may start before the one that writes its input has ended (programmatic dependent launch), and does not wait.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: nothing, because this is one kernel; test/explore/streams.cu has two
#include "launch.h"

extern "C" __global__ void missing_grid_dependency_wait(int* data) {
  // right: asm volatile("griddepcontrol.wait;" ::: "memory");
  data[64 + threadIdx.x] = data[threadIdx.x];
}

int main() {
  return launch(missing_grid_dependency_wait, 1, 32);
}
