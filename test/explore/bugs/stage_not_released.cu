// A ring of stages without an empty barrier: the producer fills a stage again that consumers may still read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: missing-fence too-many-arrivals
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void stage_not_released(int* data) {
  constexpr unsigned stages = 2, steps = 4;
  __shared__ mbarrier full[stages], empty[stages];
  __shared__ alignas(16) int tile[stages][32];
  if (threadIdx.x == 0) {
    for (unsigned stage = 0; stage < stages; ++stage) {
      init(&full[stage], 1);
      init(&empty[stage], 32);
    }
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 32) {
    if (threadIdx.x > 32) return;
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned stage = step % stages;
      // right: wait(&empty[stage], step / stages % 2 ^ 1);
      arrive_and_expect(&full[stage], sizeof tile[stage]);             // reported
      bulk_load(tile[stage], data, sizeof tile[stage], &full[stage]);  // reported
    }
  } else {
    int sum = 0;
    for (unsigned step = 0; step < steps; ++step) {
      const unsigned stage = step % stages;
      wait(&full[stage], step / stages % 2);  // reported
      sum += tile[stage][31 - threadIdx.x];   // reported
      fence_async();
      arrive(&empty[stage]);
    }
    data[64 + threadIdx.x] = sum;
  }
}

int main() {
  return launch(stage_not_released, 1, 64);
}
