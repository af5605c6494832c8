// The blocks of a cluster begin together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: launch_queue::init needs a group of the whole cluster, because its blocks arrive in each other's memory; pass this_cluster
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

using queue = cudasync::launch_queue<2, cudasync::consumer_warps<2>, 2>;

__device__ void misuse(queue& tiles) {
#if defined(CUDASYNC_EXPECT_ERROR)
  tiles.init(cudasync::this_thread_block());
#else
  tiles.init(cudasync::this_cluster());
#endif
}
