// An arrival from another block is one instruction there, which runs no function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: a cluster's barrier cannot have a completion function, because arrivals from other blocks cannot run one; do its work in one thread after the wait
// COMPILERS: nvrtc nvcc
#include <cuda/barrier>

struct completion {
  __device__ void operator()() {}
};

__device__ void meet() {
#if defined(CUDASYNC_EXPECT_ERROR)
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster, completion> bars[];
#else
  extern __shared__ cuda::barrier<cuda::thread_scope_cluster> bars[];
#endif
  bars[0].arrive_and_wait();
}
