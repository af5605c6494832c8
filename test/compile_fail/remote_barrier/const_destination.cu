// What is const is not copied to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx|no matching (member )?function
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using element = const int;
#else
using element = int;
#endif

__device__ void send(cudasync::remote_barrier there, element* destination, const int* source) {
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));
}
