// Before sm_90 no instruction compares and exchanges 16 bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: 16-byte compare-exchange needs sm_90: compile for it, or use an atomic pointer to the 16-byte value
// ARCHS: 70 80
#include <cuda/atomic>

struct alignas(16) pair {
  long long low;
  long long high;
};

__device__ void use(cuda::atomic<pair>& atomic, pair& expected) {
#if defined(CUDASYNC_EXPECT_ERROR)
  atomic.compare_exchange_strong(expected, pair{});
#else
  expected = atomic.load();
#endif
}
