// A barrier is begun anew by init, and not by an assignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void restart(block_barrier& bar) {
  bar = block_barrier(32);
}
#else
__device__ void restart(block_barrier& bar) {
  init(&bar, 32);
}
#endif
