// A warp arrives twice at a named barrier before its peer has synchronized once: both arrivals count for the same phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race hang
#include "launch.h"

__device__ void sync(int id) {
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
}  // reported
__device__ void arrive(int id) {
  asm volatile("bar.arrive %0, 64;" ::"r"(id) : "memory");
}  // reported

extern "C" __global__ void named_barrier_arrives_twice(int* data) {
  __shared__ int tile[32];
  const unsigned lane = threadIdx.x % 32;
  for (int step = 0; step < 2; ++step) {
    if (threadIdx.x < 32) {
      tile[lane] = data[step];  // reported
      arrive(1);                // reported
      // right: sync(2);
    } else {
      sync(1);                                        // reported
      data[64 + 32 * step + lane] = tile[31 - lane];  // reported
      // right: arrive(2);
    }
  }
}

int main() {
  return launch(named_barrier_arrives_twice, 1, 64);
}
