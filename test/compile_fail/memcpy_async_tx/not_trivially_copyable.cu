// Bytes are copied, and constructors do not run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async_tx needs a trivially copyable type, because it copies bytes; copy other types by assignment
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

struct alignas(16) plain {
  int values[4];
};
struct alignas(16) counted {
  int values[4];
  __device__ counted(const counted& other) : values{other.values[0]} {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(sizeof(counted)), bar);
}
#else
__device__ void copy(plain* destination, const plain* source, block_barrier& bar) {
  cuda::device::memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(sizeof(plain)), bar);
}
#endif
