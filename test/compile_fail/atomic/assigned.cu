// An atomic is not assigned from another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/atomic>

__device__ void use(cuda::atomic<int>& left, cuda::atomic<int>& right) {
#if defined(CUDASYNC_EXPECT_ERROR)
  left = right;
#else
  left = right.load();
#endif
}
