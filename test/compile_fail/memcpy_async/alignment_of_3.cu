// An alignment is a power of two, in a size as elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: aligned_size_t needs an alignment that is a power of two, in bytes: for example aligned_size_t<16>
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ void copy(char* destination, const char* source, block_barrier& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::memcpy_async(destination, source, cuda::aligned_size_t<3>(9), bar);
#else
  cuda::memcpy_async(destination, source, cuda::aligned_size_t<4>(8), bar);
#endif
}
