// A wait that may give up before the phase is complete, and that is not repeated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void try_wait_once(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
    arrive_and_expect(&bar, sizeof tile);
    bulk_load(tile, data, sizeof tile, &bar);  // reported
  }
  if (threadIdx.x == 0) try_wait(&bar, 0);  // wrong
  // right: if (threadIdx.x == 0) wait(&bar, 0);
  __syncthreads();
  data[64 + threadIdx.x] = tile[31 - threadIdx.x];  // reported
}

int main() {
  return launch(try_wait_once, 1, 32);
}
