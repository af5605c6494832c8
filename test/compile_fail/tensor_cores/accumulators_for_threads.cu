// tcgen05.ld is executed by warps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: accumulator_pipeline<n, consumers>: tcgen05.ld is an instruction of a warp; give consumer_warps<n>
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_threads<128>>;
#else
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;
#endif

static_assert(sizeof(results) != 0);
