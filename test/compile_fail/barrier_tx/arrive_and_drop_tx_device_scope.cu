// Nobody drops out of a device's barrier with bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;
#else
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;
#endif

__device__ void leave(shared_barrier& bar) {
  static_cast<void>(cudasync::device::barrier_arrive_and_drop_tx(bar, 1024));
}
