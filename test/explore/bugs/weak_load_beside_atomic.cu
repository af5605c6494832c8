// A counter that is added to atomically and read by an ordinary load.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

extern "C" __global__ void weak_load_beside_atomic(int* data) {
  if (blockIdx.x == 0)
    atomicAdd(data, 1);  // reported
  else
    data[64] = *data;  // wrong, reported
                       // right: data[64] = atomicAdd(data, 0);
}

int main() {
  return launch(weak_load_beside_atomic, 2, 1);
}
