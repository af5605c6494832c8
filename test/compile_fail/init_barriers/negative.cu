// No phase expects a negative number of arrivals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: expects<n>\(bar\): a barrier cannot expect a negative number of arrivals; give 0 to bar.max\(\)
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<-1>(bar));
}
#else
__device__ void set_up(block_barrier& bar) {
  cudasync::init_barriers(cudasync::this_thread_block(), cudasync::expects<1>(bar));
}
#endif
