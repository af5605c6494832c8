// Before sm_90 a block cannot reach another's shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: barrier<thread_scope_cluster> needs sm_90: older architectures have no clusters; compile with -arch=sm_90 or newer
// ARCHS: 75 80
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using barrier_of_cluster = cuda::barrier<cuda::thread_scope_cluster>;

__device__ void arrive(barrier_of_cluster& bar) {
  cudasync::remote_barrier(bar, 1).arrive();
}
#else
__device__ void arrive(cuda::barrier<cuda::thread_scope_device>& bar) {
  static_cast<void>(bar.arrive());
}
#endif
