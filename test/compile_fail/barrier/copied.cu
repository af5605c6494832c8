// A barrier is where its memory is, and has no copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__host__ __device__ void share(const block_barrier& bar) {
  block_barrier copy(bar);
  copy.arrive_and_wait();
}
#else
__host__ __device__ void share(block_barrier& bar) {
  block_barrier& alias = bar;
  alias.arrive_and_wait();
}
#endif
