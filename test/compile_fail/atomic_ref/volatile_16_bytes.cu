// A volatile object needs lock-free accesses: P3323R1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref takes volatile objects only of types that are always lock-free
#include <cuda/atomic>

struct alignas(16) pair {
  long long first;
  long long second;
};
struct alignas(8) small_pair {
  int first;
  int second;
};

#if defined(CUDASYNC_EXPECT_ERROR)
__device__ pair use(volatile pair& value) {
  return cuda::atomic_ref<volatile pair>(value).load();
}
#else
__device__ pair use(pair& value, volatile small_pair& other) {
  cuda::atomic_ref<volatile small_pair>(other).store({1, 2});
  return cuda::atomic_ref<pair>(value).load();
}
#endif
