// Two blocks share tensor cores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: accumulator_pipeline<n, consumers, blocks>: tensor cores multiply for one block or for a pair; give 1 or 2
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 4>;
#else
using results = cudasync::accumulator_pipeline<2, cudasync::consumer_warps<4>, 2>;
#endif

static_assert(sizeof(results) != 0);
