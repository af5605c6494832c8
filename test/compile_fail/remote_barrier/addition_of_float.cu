// The instruction adds integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, float* cell) {
  there.add_async(cell, 1.0f);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell) {
  there.add_async(cell, 1);
}
#endif
