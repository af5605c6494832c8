// A plain size promises no alignment, to several blocks neither.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx_to_blocks
#include <cuda/barrier>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void copy(int* destination, const int* source, barrier_of_cluster& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, 1024, bar, 3);
#else
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(1024), bar, 3);
#endif
}
