// No number converts to a binary semaphore by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor exists to convert|conversion from
#include <cuda/semaphore>

__device__ void start() {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::binary_semaphore<cuda::thread_scope_block> permit = 1;
  permit.acquire();
#else
  cuda::binary_semaphore<cuda::thread_scope_block> permit(1);
  permit.acquire();
#endif
}
