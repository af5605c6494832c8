// No number converts to a semaphore by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/semaphore>

__device__ void start() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::counting_semaphore<cuda::thread_scope_block> permits = 32;
  permits.acquire();
#else
  cuda::counting_semaphore<cuda::thread_scope_block> permits(32);
  permits.acquire();
#endif
}
