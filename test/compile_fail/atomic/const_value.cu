// The atomic is const, not its value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic has no const or volatile value type: make the atomic itself const or volatile
#include <cuda/atomic>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ int use(cuda::atomic<const int>& atomic) {
#else
__device__ int use(const cuda::atomic<int>& atomic) {
#endif
  return atomic.load();
}
