// Of 8 bytes there is only the addition.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier: red.async has operations on integers of 4 bytes, and the addition of 8 bytes
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, long long* cell) {
  there.min_async(cell, 1);
}
#else
__device__ void send(cudasync::remote_barrier there, long long* cell) {
  there.add_async(cell, 1);
}
#endif
