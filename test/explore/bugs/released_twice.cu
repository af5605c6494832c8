// A consumer warp releases a stage twice in one iteration, and so releases the next phase before it has read it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race hang too-many-arrivals
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void released_twice(int* data) {
  __shared__ mbarrier full, empty;
  __shared__ int tile[32];
  const bool produces = threadIdx.x < 32;
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init(&full, 32);
    init(&empty, 2);
  }
  __syncthreads();
  int sum = 0;
  for (unsigned step = 0; step < 4; ++step) {
    if (produces) {
      wait(&empty, step % 2 ^ 1);  // reported
      tile[lane] = data[step];     // reported
      arrive(&full);               // reported
    } else {
      wait(&full, step % 2);   // reported
      sum += tile[31 - lane];  // reported
      __syncwarp();
      if (lane == 0) arrive(&empty);                       // reported
      if (lane == 0 && threadIdx.x == 32) arrive(&empty);  // wrong, reported
    }
  }
  data[64 + threadIdx.x] = sum;
}

int main() {
  return launch(released_twice, 1, 96);
}
