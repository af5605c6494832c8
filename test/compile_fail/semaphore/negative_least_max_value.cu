// There are no fewer permits than none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: counting_semaphore: LeastMaxValue is the largest number of permits; give 0 or more
// COMPILERS: nvrtc nvcc
#include <cuda/semaphore>

#if defined(CUDASYNC_EXPECT_ERROR)
using permits = cuda::counting_semaphore<cuda::thread_scope_device, -1>;
#else
using permits = cuda::counting_semaphore<cuda::thread_scope_device, 0>;
#endif

__device__ void use(permits& some) {
  some.acquire();
}
