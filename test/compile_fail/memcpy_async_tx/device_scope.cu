// A bulk copy completes on a barrier that counts bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: transactions need a barrier of block or cluster scope: barriers of other scopes cannot count bytes
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

#if defined(CUDASYNC_EXPECT_ERROR)
using shared_barrier = cuda::barrier<cuda::thread_scope_device>;
#else
using shared_barrier = cuda::barrier<cuda::thread_scope_block>;
#endif

__device__ void copy(int* destination, const int* source, shared_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024), bar);
}
