// The copy engine moves 16 bytes at a time, with a cache hint as without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async_tx needs aligned_size_t<16> or more: cp.async.bulk moves 16-byte units; align both buffers and the size
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<8>(1024), bar,
                                cudasync::l2_cache_hint::evict_first());
}
#else
__device__ void copy(int* destination, const int* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar,
                                cudasync::l2_cache_hint::evict_first());
}
#endif
