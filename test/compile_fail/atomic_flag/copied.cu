// Two flags are never one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/atomic>

__device__ void use(cuda::atomic_flag& flag) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::atomic_flag other(flag);
  other.clear();
#else
  cuda::atomic_flag& other = flag;
  other.clear();
#endif
}
