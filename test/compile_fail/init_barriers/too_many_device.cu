// A barrier of a wider scope counts to 2^31 - 1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: expects<n>\(bar\): more arrivals than the barrier can count; a block's or a cluster's barrier counts to 2\^20 - 1, barriers of wider scopes to 2\^31 - 1
#include <cuda/barrier>

using device_barrier = cuda::barrier<cuda::thread_scope_device>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void set_up(device_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<0x80000000>(bar));
}
#else
__device__ void set_up(device_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<0x7fffffff>(bar));
}
#endif
