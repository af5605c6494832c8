// A wait acquires or is relaxed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: an mbarrier arrival is sem_release and a wait is sem_acquire
#include <cuda/barrier>

__device__ bool misuse(cuda::std::uint64_t* bar, cuda::std::uint64_t state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_release, cuda::ptx::scope_cluster, bar, state);
#else
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, bar, state);
#endif
}
