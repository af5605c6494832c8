// Truth values are not compared.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: arithmetic needs an integer, a floating-point number or a pointer: use compare_exchange_weak in a loop
#include <cuda/atomic>

__device__ void use(cuda::atomic<bool>& atomic) {
#if defined(CUDASYNC_EXPECT_ERROR)
  atomic.store_max(true);
#else
  atomic.store(true);
#endif
}
