// A cluster has 1 to 16 blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline<n, consumers, blocks>: a cluster has 1 to 16 blocks
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 17>;

static_assert(sizeof(ring) != 0);
#else
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<2>, 16>;

static_assert(sizeof(ring) != 0);
#endif
