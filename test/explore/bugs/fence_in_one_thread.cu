// The fence is there, but one thread executes it before it knows that the stores of the others have been made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: missing-fence
#include "launch.h"
#include "ptx.h"

extern "C" __global__ void fence_in_one_thread(int* data) {
  __shared__ alignas(16) int tile[32];
  tile[threadIdx.x] = 1;                // reported
  if (threadIdx.x == 0) fence_async();  // wrong
  __syncthreads();
  if (threadIdx.x == 0) {
    // right: fence_async();
    bulk_store(data, tile, sizeof tile);  // reported
    bulk_commit();
    bulk_wait();
  }
}

int main() {
  return launch(fence_in_one_thread, 1, 32);
}
