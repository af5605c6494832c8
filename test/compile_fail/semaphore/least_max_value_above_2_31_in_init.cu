// Permits are counted in 32 bits, of a semaphore that init begins, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: counting_semaphore counts to 2\^31 - 1: give a LeastMaxValue of at most that
#include <cuda/semaphore>

#if defined(CUDASYNC_EXPECT_ERROR)
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0x80000000>;
#else
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0x7fffffff>;
#endif

__device__ void start(permits& some) {
  init(&some, 1);
}
