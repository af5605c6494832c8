// Also to load from it alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref takes volatile objects only of types that are always lock-free
#include <cuda/atomic>

struct alignas(16) pair {
  long long first;
  long long second;
};

#if defined(CUDASYNC_EXPECT_ERROR)
using object = const volatile pair;
#else
using object = const pair;
#endif

__device__ pair use(object& value) {
  return cuda::atomic_ref<object>(value).load();
}
