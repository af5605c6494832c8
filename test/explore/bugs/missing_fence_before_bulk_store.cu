// Threads write a tile and the copy engine stores it: __syncthreads() alone does not make ordinary stores visible to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// finds: missing-fence
#include "launch.h"

#include <cuda/pipeline>
#include <cudasync/bulk_store.h>

extern "C" __global__ void missing_fence_before_bulk_store(int* data) {
  __shared__ alignas(16) int tile[32];
  tile[threadIdx.x] = 1;  // reported
  // right: cudasync::device::fence_before_bulk_copy();
  __syncthreads();
  if (threadIdx.x == 0) {
    cudasync::device::bulk_store(data, tile, cuda::aligned_size_t<16>(sizeof tile));  // reported
    cudasync::device::bulk_commit();
    cudasync::device::bulk_wait();
  }
}

int main() {
  return launch(missing_fence_before_bulk_store, 1, 32);
}
