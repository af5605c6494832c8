// The blocks of a cluster begin together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline::init needs a group of the whole cluster, because its blocks arrive in each other's memory; pass this_cluster
// COMPILERS: nvrtc nvcc
#include <cuda/pipeline>

using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 2>;

__device__ void misuse(ring& pipe) {
#if defined(CUDASYNC_EXPECT_ERROR)
  pipe.init(cudasync::this_thread_block());
#else
  pipe.init(cudasync::this_cluster());
#endif
}
