// wait_group.read waits until the copy engine has read the tile. Another block then reads what has not been written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void bulk_wait_for_reads(int* data) {
  __shared__ alignas(16) int tile[32];
  int* const flag = data + 64;
  if (blockIdx.x == 0) {
    tile[threadIdx.x] = 1;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      bulk_store(data, tile, sizeof tile);  // reported
      bulk_commit();
      bulk_wait_read();  // wrong
      // right: bulk_wait();
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    __threadfence();
    data[128 + threadIdx.x] = data[threadIdx.x];  // reported
  }
}

int main() {
  return launch(bulk_wait_for_reads, 2, 32);
}
