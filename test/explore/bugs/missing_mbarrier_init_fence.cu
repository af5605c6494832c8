// The copy engine completes on a barrier of whose initialization it has not been told.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: missing-fence
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void missing_mbarrier_init_fence(int* data) {
  __shared__ mbarrier bar;
  __shared__ alignas(16) int tile[32];
  if (threadIdx.x == 0) {
    init(&bar, 1);  // reported
    // right: fence_init();
    arrive_and_expect(&bar, sizeof tile);
    bulk_load(tile, data, sizeof tile, &bar);  // reported
  }
  __syncthreads();
  wait(&bar, 0);
  data[64 + threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  return launch(missing_mbarrier_init_fence, 1, 32);
}
