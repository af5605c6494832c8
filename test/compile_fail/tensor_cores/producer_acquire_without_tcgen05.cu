// Only sm_100a, sm_103a, sm_110a and their families have tcgen05.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: accumulator_pipeline needs tcgen05, which only sm_100a, sm_103a, sm_110a and their families have; compile with -gencode arch=compute_100a,code=sm_100a
// ARCHS: 90a 120a
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;

__device__ void use([[maybe_unused]] results& accumulators, results::producer_state& at) {
#if defined(CUDASYNC_EXPECT_ERROR)
  accumulators.producer_acquire(at);
#else
  static_cast<void>(at.index());
#endif
}
