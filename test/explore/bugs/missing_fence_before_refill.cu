// A stage that threads change in place is filled again by the copy engine: their stores and its copy need a proxy fence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: missing-fence
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void missing_fence_before_refill(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);
    fence_init();
  }
  __syncthreads();
  for (unsigned step = 0; step < 2; ++step) {
    if (threadIdx.x == 0) {
      arrive_and_expect(&bar, sizeof tile);
      bulk_load(tile, data + 32 * step, sizeof tile, &bar);  // reported
    }
    wait(&bar, step % 2);
    tile[threadIdx.x] *= 2;  // reported
    // right: fence_async();
    __syncthreads();
  }
}

int main() {
  return launch(missing_fence_before_refill, 1, 32);
}
