// A constant is not written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier::store_async writes to the destination, which is const
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, const int* cell) {
  there.store_async(cell, 1);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell) {
  there.store_async(cell, 1);
}
#endif
