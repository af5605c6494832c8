// Who arrives and does not wait leaves the barrier unusable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: type of discarded object has \"nodiscard\" attribute|ignoring return value
// COMPILERS: nvrtc nvcc
// OPTIONS: --diag-error=3004
#include <cuda/barrier>
#include <cudasync/cluster_barrier.h>

using cudasync::cluster_barrier;

__device__ void meet() {
  cluster_barrier::arrive();                         // wrong
  cluster_barrier::wait(cluster_barrier::arrive());  // right
}
