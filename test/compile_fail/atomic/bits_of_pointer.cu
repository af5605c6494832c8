// A pointer is no set of bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bitwise operations need an integer: use compare_exchange_weak in a loop
#include <cuda/atomic>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic<int*>& atomic) {
  atomic.fetch_and(nullptr);
#else
__device__ void use(cuda::atomic<unsigned long>& atomic) {
  atomic.fetch_and(0);
#endif
}
