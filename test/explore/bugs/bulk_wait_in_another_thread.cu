// Groups of bulk copies belong to a thread: another one waits, and has nothing to wait for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void bulk_wait_in_another_thread(int* data) {
  __shared__ alignas(16) int tile[32];
  tile[threadIdx.x] = 1;
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(data, tile, sizeof tile);  // reported
    bulk_commit();
    // right: bulk_wait();
  }
  if (threadIdx.x == 1) bulk_wait();  // wrong
  __syncthreads();
  tile[threadIdx.x] = 2;                       // reported
  data[64 + threadIdx.x] = data[threadIdx.x];  // reported
}

int main() {
  return launch(bulk_wait_in_another_thread, 1, 32);
}
