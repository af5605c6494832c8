// A stage that nobody releases is never empty again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline<n, consumers>: a ring needs consumers; give consumer_warps<1> or more
#include <cuda/pipeline>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<0>>;

static_assert(sizeof(ring) != 0);
#else
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_warps<1>>;

static_assert(sizeof(ring) != 0);
#endif
