// Other blocks find a barrier by its place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/barrier>

using cluster_barrier = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void share(cluster_barrier& bar) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cluster_barrier other(bar);
  other.arrive_and_wait();
#else
  cluster_barrier& other = bar;
  other.arrive_and_wait();
#endif
}
