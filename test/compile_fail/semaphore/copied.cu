// Two semaphores never have the same permits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/semaphore>

__device__ void share(cuda::counting_semaphore<>& permits) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::counting_semaphore<> other(permits);
  other.acquire();
#else
  cuda::counting_semaphore<>& other = permits;
  other.acquire();
#endif
}
