// Two copies, and the bytes of one of them expected: the phase may complete before the second copy has arrived.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void too_few_expected_bytes(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[2][32];
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
    arrive_and_expect(&bar, sizeof tile[0]);  // wrong
    // right: arrive_and_expect(&bar, sizeof tile);
    for (int part = 0; part < 2; ++part)
      bulk_load(tile[part], data + 32 * part, sizeof tile[part], &bar);  // reported
  }
  __syncthreads();
  wait(&bar, 0);                                                                   // reported
  data[64 + threadIdx.x] = tile[0][31 - threadIdx.x] + tile[1][31 - threadIdx.x];  // reported
}

int main() {
  return launch(too_few_expected_bytes, 1, 32);
}
