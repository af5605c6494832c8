// The bytes are expected, and nobody arrives: the phase has an arrival left when all bytes are there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: hang
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void expect_without_arrival(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
    expect(&bar, sizeof tile);  // wrong
    // right: arrive_and_expect(&bar, sizeof tile);
    bulk_load(tile, data, sizeof tile, &bar);
  }
  __syncthreads();
  wait(&bar, 0);  // reported
  data[64 + threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  return launch(expect_without_arrival, 1, 32);
}
