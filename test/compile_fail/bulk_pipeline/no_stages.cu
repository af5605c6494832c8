// A ring has a stage.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline<n, consumers>: a ring has at least one stage
// COMPILERS: nvrtc nvcc
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<0, cudasync::consumer_warps<2>>;

static_assert(sizeof(ring) != 0);
#else
using ring = cudasync::bulk_pipeline<1, cudasync::consumer_warps<2>>;

static_assert(sizeof(ring) != 0);
#endif
