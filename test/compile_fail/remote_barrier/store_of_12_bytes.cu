// An instruction stores 4, 8 or 16 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier::store_async stores 4, 8 or 16 bytes: st.async has no other sizes
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

struct three {
  float values[3];
};
struct alignas(16) four {
  float values[4];
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void send(cudasync::remote_barrier there, three* cell, three value) {
  there.store_async(cell, value);
}
#else
__device__ void send(cudasync::remote_barrier there, four* cell, four value) {
  there.store_async(cell, value);
}
#endif
