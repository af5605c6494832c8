// wgmma.wait_group takes up to seven groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: consumer_warpgroups<n, pending>: wgmma.wait_group takes at most 7 pending groups; give 0 to 7
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<12, cudasync::consumer_warpgroups<2, 8>>;
#else
using ring = cudasync::bulk_pipeline<12, cudasync::consumer_warpgroups<2, 7>>;
#endif

static_assert(sizeof(ring) != 0);
