// Two binary semaphores never have the same permit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/semaphore>

__device__ void share(cuda::binary_semaphore<>& permits) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::binary_semaphore<> other(permits);
  other.acquire();
#else
  cuda::binary_semaphore<>& other = permits;
  other.acquire();
#endif
}
