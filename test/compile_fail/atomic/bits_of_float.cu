// A floating-point number is no set of bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bitwise operations need an integer: use compare_exchange_weak in a loop
#include <cuda/atomic>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<float>& atomic) {
  atomic.fetch_and(1.0f);
#else
__device__ void use(cuda::atomic<unsigned>& atomic) {
  atomic.fetch_and(1);
#endif
}
