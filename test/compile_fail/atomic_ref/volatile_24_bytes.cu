// A volatile object can be as large as any other: 16 bytes, but not more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
#include <cuda/atomic>

struct alignas(16) pair {
  long long first;
  long long second;
};
struct alignas(8) triple {
  long long first;
  long long second;
  long long third;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ triple use(volatile triple& value) {
  return cuda::atomic_ref<volatile triple>(value).load();
}
#else
__device__ pair use(volatile pair& value) {
  cuda::atomic_ref<volatile pair>(value).store({1, 2});
  return cuda::atomic_ref<volatile pair>(value).load();
}
#endif
