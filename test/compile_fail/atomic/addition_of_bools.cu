// Truth values are not added.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: arithmetic needs an integer, a floating-point number or a pointer: use compare_exchange_weak in a loop
#include <cuda/atomic>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<bool>& atomic) {
  atomic.fetch_add(true);
#else
__device__ void use(cuda::atomic<unsigned char>& atomic) {
  atomic.fetch_add(1);
#endif
}
