// Also to load from it alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: atomic_ref needs an object of 1, 2, 4, 8 or 16 bytes
#include <cuda/atomic>

template <int Numbers>
struct alignas(8 * (2 - Numbers % 2)) numbers {
  long long number[Numbers];
};

#if defined(CUDASYNC_EXPECT_ERROR)
using value = numbers<3>;
#else
using value = numbers<2>;
#endif

__device__ value use(const volatile value& object) {
  return cuda::atomic_ref<const volatile value>(object).load();
}
