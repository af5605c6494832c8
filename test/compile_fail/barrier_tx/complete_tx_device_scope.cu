// No bytes complete on a device's barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;
#else
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;
#endif

__device__ void complete(shared_barrier& bar) {
  cudasync::device::barrier_complete_tx(bar, 1024);
}
