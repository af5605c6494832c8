// Two groups of warps use one named barrier: threads of both complete it together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"

#include <cudasync/named_barrier.h>

extern "C" __global__ void named_barrier_shared(int* data) {
  __shared__ int part[2][64];
  const unsigned group = threadIdx.x / 64, rank = threadIdx.x % 64;
  part[group][rank] = data[threadIdx.x];  // reported
  if (group == 0) cudasync::named_barrier<1, 64>::sync();
  if (group == 1) cudasync::named_barrier<1, 64>::sync();  // wrong
  // right: if (group == 1) cudasync::named_barrier<2, 64>::sync();
  data[128 + threadIdx.x] = part[group][63 - rank];  // reported
}

int main() {
  return launch(named_barrier_shared, 1, 128);
}
