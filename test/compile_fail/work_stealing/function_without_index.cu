// The function is told for which block it works.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: for_each_canceled_block, for_each_canceled_cluster: the function takes the index of a block; give a function or a lambda such as
// COMPILERS: nvrtc nvcc
#include <cuda/work_stealing>

__device__ void misuse(unsigned& tiles) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::for_each_canceled_block([&] { ++tiles; });
#else
  cuda::for_each_canceled_block([&](dim3) { ++tiles; });
#endif
}
