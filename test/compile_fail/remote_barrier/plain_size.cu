// A plain size promises no alignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no instance of (overloaded )?function (template )?.*memcpy_async_tx|no matching (member )?function
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

__device__ void send(cudasync::remote_barrier there, int* destination, const int* source) {
#if defined(CUDASYNC_EXPECT_ERROR)
  there.memcpy_async_tx(destination, source, 1024);
#else
  there.memcpy_async_tx(destination, source, cuda::aligned_size_t<16>(1024));
#endif
}
