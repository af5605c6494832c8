// Bytes are copied to other blocks, and constructors do not run there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async_tx needs a trivially copyable type, because it copies bytes; copy other types by assignment
#include <cuda/barrier>

using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

struct alignas(16) plain {
  int values[4];
};
struct alignas(16) counted {
  int values[4];
  __device__ counted(const counted& other) : values{other.values[0]} {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
using element = counted;
#else
using element = plain;
#endif

__device__ void copy(element* destination, const element* source, barrier_of_cluster& bar) {
  cudasync::device::memcpy_async_tx_to_blocks(destination, source, cuda::aligned_size_t<16>(sizeof(element)), bar, 3);
}
