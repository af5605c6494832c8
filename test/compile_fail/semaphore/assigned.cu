// A semaphore is begun anew by init, and not by an assignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/semaphore>

__device__ void restart(cuda::counting_semaphore<>& permits) {
#if defined(CUDASYNC_EXPECT_ERROR)
  permits = cuda::counting_semaphore<>(32);
#else
  init(&permits, 32);
#endif
}
