// A ring has an accumulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: accumulator_pipeline<n, consumers>: a ring has at least one stage
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using results = cudasync::accumulator_pipeline<0, cudasync::consumer_warps<4>>;
#else
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;
#endif

static_assert(sizeof(results) != 0);
