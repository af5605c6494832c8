// A ring has consumers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: accumulator_pipeline<n, consumers>: a ring needs consumers; give consumer_warps<1> or more
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<0>>;
#else
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>>;
#endif

static_assert(sizeof(results) != 0);
