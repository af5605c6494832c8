// A system's barrier counts arrivals only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
using shared_barrier = cuda::barrier<cuda::thread_scope_system>;
#else
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;
#endif

__device__ void arrive(shared_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));
}
