// A ring of two stages is full when two of them are being read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: bulk_pipeline<n, consumer_warpgroups<m, pending>>: the ring would fill up with stages that are not released; give more stages than pending ones
// COMPILERS: nvrtc nvcc
#include <cuda/pipeline>
#include <cudasync/tensor_cores.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using ring = cudasync::bulk_pipeline<2, cudasync::consumer_warpgroups<2, 2>>;
#else
using ring = cudasync::bulk_pipeline<3, cudasync::consumer_warpgroups<2, 2>>;
#endif

using state = ring::consumer_state;

static_assert(sizeof(state) != 0);
