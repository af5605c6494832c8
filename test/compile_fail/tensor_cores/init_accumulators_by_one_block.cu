// The blocks of a pair arrive in each other's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: accumulator_pipeline::init needs a group of the whole cluster, because the blocks of a pair arrive in each other's memory; pass this_cluster\(\)
// ARCHS: 100a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 2>;

__device__ void misuse(results& accumulators) {
#if defined(CUDASYNC_EXPECT_ERROR)
  accumulators.init(cudasync::this_thread_block());
#else
  accumulators.init(cudasync::this_cluster());
#endif
}
