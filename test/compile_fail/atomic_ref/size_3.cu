// Nor 3 bytes, without those behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
#include <cuda/atomic>

struct colour {
  unsigned char red;
  unsigned char green;
  unsigned char blue;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(colour& value) {
  cuda::atomic_ref<colour> atomic(value);
#else
__device__ void use(cuda::atomic<colour>& atomic) {
#endif
  static_cast<void>(atomic.load());
}
