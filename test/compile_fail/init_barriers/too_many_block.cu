// A block's barrier counts to 2^20 - 1, as an mbarrier does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^31 - 1
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20)>(bar));
}
#else
__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<(1 << 20) - 1>(bar));
}
#endif
