// A reference to a const object only reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member "fetch_add"
#include <cuda/atomic>

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(cuda::atomic_ref<const int> atomic) {
  atomic.fetch_add(1);
#else
__device__ void use(cuda::atomic_ref<int> atomic) {
  atomic.fetch_add(1);
#endif
}
