// Bytes that come to other blocks complete on barriers of the cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx_to_blocks
#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;
#else
using shared_barrier = cuda::barrier<cuda::thread_scope_cluster>;
#endif

__device__ void copy(int* destination, const int* source, shared_barrier& bar) {
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);
}
