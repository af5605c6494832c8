// What a block's barrier orders, it orders within the block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier needs barrier<thread_scope_cluster>: a barrier of block scope orders nothing between blocks
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;
#else
using shared_barrier = cuda::barrier<cuda::thread_scope_cluster>;
#endif

__device__ void arrive(shared_barrier& bar) {
  cudasync::remote_barrier(bar, 1).arrive();
}
