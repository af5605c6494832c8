// The atomic is volatile, not its value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic has no const or volatile value type: make the atomic itself const or volatile
#include <cuda/atomic>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ int use(cuda::atomic<volatile int>& atomic) {
#else
__device__ int use(volatile cuda::atomic<int>& atomic) {
#endif
  return atomic.load();
}
