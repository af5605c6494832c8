// Transactions are of a block's barrier, since only an mbarrier counts bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of function template .*barrier_arrive_tx
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using device_barrier = cuda::barrier<cuda::thread_scope_device>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void arrive(device_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));
}
#else
__device__ void arrive(block_barrier& bar) {
  static_cast<void>(cuda::device::barrier_arrive_tx(bar, 1, 1024));
}
#endif
