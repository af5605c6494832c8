// barrier.cluster.arrive.relaxed orders no memory: the other block may not see what was written before it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void relaxed_cluster_arrival(int* data) {
  __shared__ int own[32];
  own[threadIdx.x] = data[threadIdx.x];                                  // reported
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");  // wrong
  // right: asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  const unsigned there = remote_address(&own[31 - threadIdx.x], block_rank() ^ 1);
  int value;
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");  // reported
  data[64 + 32 * block_rank() + threadIdx.x] = value;
  cluster_sync();
}

int main() {
  return launch(relaxed_cluster_arrival, 2, 32, 2);
}
