// Bytes are copied, and constructors do not run: by a group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: memcpy_async needs a trivially copyable type, because it copies bytes; copy other types by assignment
#include <cuda/pipeline>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

struct plain {
  int value;
};
struct counted {
  int value;
  __host__ __device__ counted(const counted& other) : value(other.value) {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void copy(counted* destination, const counted* source, block_barrier& bar) {
  cuda::memcpy_async(cudasync::this_thread_block(), destination, source, sizeof(counted), bar);
}
#else
__device__ void copy(plain* destination, const plain* source, block_barrier& bar) {
  cuda::memcpy_async(cudasync::this_thread_block(), destination, source, sizeof(plain), bar);
}
#endif
