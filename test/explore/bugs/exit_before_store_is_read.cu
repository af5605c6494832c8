// The block ends while the copy engine may still read the tile: nothing waits for the bulk store.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: data-race
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void exit_before_store_is_read(int* data) {
  __shared__ alignas(16) int tile[64];
  tile[threadIdx.x] = static_cast<int>(blockIdx.x);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    bulk_store(data + 64 * blockIdx.x, tile, sizeof tile);  // reported
    bulk_commit();
    // right: bulk_wait_read();
  }
}

int main() {
  return launch(exit_before_store_is_read, 2, 64);
}
