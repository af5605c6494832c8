// Misuse with <cuda/barrier>, each with the corrected line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda/barrier>

// common:
__device__ bool misuse(cuda::std::uint64_t* bar, cuda::std::uint64_t state) {
  // misuse: order_of_a_wait
  // A wait acquires or is relaxed.
  // ERROR: an mbarrier arrival is sem_release and a wait is sem_acquire
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_release, cuda::ptx::scope_cluster, bar, state);  // wrong
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, bar, state);  // right

  // misuse: scope_of_a_wait
  // A barrier in shared memory synchronizes a block or a cluster.
  // ERROR: mbarrier instructions have scope_cta or scope_cluster
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_acquire, cuda::ptx::scope_gpu, bar, state);      // wrong
  return cuda::ptx::mbarrier_try_wait(cuda::ptx::sem_acquire, cuda::ptx::scope_cluster, bar, state);  // right
}
