// A grid has at most three dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: for_each_canceled_block<rank>, for_each_canceled_cluster<rank>: a grid has 1 to 3 dimensions
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

__device__ void misuse(unsigned& tiles) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::for_each_canceled_cluster<4>([&](dim3 index) { tiles += index.x; });
#else
  cudasync::for_each_canceled_cluster<3>([&](dim3 index) { tiles += index.x; });
#endif
}
