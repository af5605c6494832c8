// A cluster of pairs has an even number of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline<n, consumer_mma_pair, blocks>: pairs need a cluster of an even number of blocks
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair>;
#else
using ring = cudasync::bulk_pipeline<4, cudasync::consumer_mma_pair, 2>;
#endif

static_assert(sizeof(ring) != 0);
