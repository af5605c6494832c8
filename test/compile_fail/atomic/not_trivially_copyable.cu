// An atomic copies bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: an atomic type must be trivially copyable \[atomics.types.generic\]: use an atomic pointer to the object
#include <cuda/atomic>

struct owner {
  int* place;

  __device__ owner(int* first) : place(first) {}
  __device__ owner(const owner& other) : place(other.place) {}
};

__device__ void use(int* place) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::atomic<owner> atomic(owner{place});
  static_cast<void>(atomic);
#else
  cuda::atomic<int*> atomic(place);
  static_cast<void>(atomic);
#endif
}
