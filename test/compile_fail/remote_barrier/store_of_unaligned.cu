// The address of 8 bytes is a multiple of 8.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier::store_async needs a type that is aligned to its size; declare it with alignas\(8\) or alignas\(16\)
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

struct loose {
  float first, second;
};
struct alignas(8) tight {
  float first, second;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, loose* cell, loose value) {
  there.store_async(cell, value);
}
#else
__device__ void send(cudasync::remote_barrier there, tight* cell, tight value) {
  there.store_async(cell, value);
}
#endif
