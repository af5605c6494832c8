// Bytes are copied, and constructors do not run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: remote_barrier::memcpy_async_tx needs a trivially copyable type, because it copies bytes
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

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

__device__ void send(cudasync::remote_barrier there, element* destination, const element* source) {
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(sizeof(element)));
}
