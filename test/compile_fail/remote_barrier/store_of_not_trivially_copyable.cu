// Bytes are copied, and constructors do not run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier::store_async needs a trivially copyable type, because it copies bytes
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

struct counted {
  int count;
  __device__ counted(const counted& other) : count(other.count + 1) {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, counted* cell, const counted& value) {
  there.store_async(cell, value);
}
#else
__device__ void send(cudasync::remote_barrier there, int* cell, const int& value) {
  there.store_async(cell, value);
}
#endif
