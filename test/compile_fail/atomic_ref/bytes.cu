// An array of bytes may lie at any address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref needs objects aligned to their size: declare the type with alignas\(sizeof ...\)
#include <cuda/atomic>

struct bytes {
  unsigned char all[8];
};
struct alignas(8) aligned_bytes {
  unsigned char all[8];
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(bytes& object) {
  cuda::atomic_ref<bytes> atomic(object);
#else
__device__ void use(aligned_bytes& object) {
  cuda::atomic_ref<aligned_bytes> atomic(object);
#endif
  static_cast<void>(atomic);
}
