// A packed object may lie at any address.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref needs objects aligned to their size: declare the type with alignas\(sizeof ...\)
#include <cuda/atomic>

struct __attribute__((packed)) pair {
  short first;
  short second;
};
struct alignas(4) aligned_pair {
  short first;
  short second;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ void use(pair& object) {
  cuda::atomic_ref<pair> atomic(object);
#else
__device__ void use(aligned_pair& object) {
  cuda::atomic_ref<aligned_pair> atomic(object);
#endif
  static_cast<void>(atomic);
}
