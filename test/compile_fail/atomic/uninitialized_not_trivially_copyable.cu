// An atomic copies bytes: also one that nothing initialized.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: an atomic type must be trivially copyable \[atomics.types.generic\]: use an atomic pointer to the object
#include <cuda/atomic>

struct owner {
  int* place;

  __device__ owner(const owner& other) : place(other.place) {}
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ owner use(cuda::atomic<owner>& atomic) {
#else
__device__ int* use(cuda::atomic<int*>& atomic) {
#endif
  return atomic.load();
}
