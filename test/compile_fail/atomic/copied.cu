// Two atomics are never one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/atomic>

__device__ void use(cuda::atomic<int>& atomic) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::atomic<int> other(atomic);
#else
  cuda::atomic<int> other(atomic.load());
#endif
  static_cast<void>(other);
}
