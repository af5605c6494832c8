// A barrier in shared memory synchronizes a block or a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: mbarrier instructions have scope_cta or scope_cluster
#include <cuda/barrier>

__device__ bool misuse(cuda::std::uint64_t* bar, cuda::std::uint64_t state) {
#if defined(CUDASYNC_EXPECT_ERROR)
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_acquire, cuda::ptx::scope_gpu, bar, state);
#else
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, bar, state);
#endif
}
