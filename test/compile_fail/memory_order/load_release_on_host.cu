// A load releases nothing, on the host neither.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a load has nothing to release: use memory_order_relaxed, memory_order_acquire or memory_order_seq_cst
// COMPILERS: host
#include <cuda/atomic>

inline int use(cuda::atomic<int>& counter) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return counter.load(cuda::memory_order_release);
#else
  return counter.load(cuda::memory_order_acquire);
#endif
}
