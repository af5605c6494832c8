// A host without GPUs has nothing that could arrive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: world_part: the number of GPUs of a host must be 1 to 1024
// COMPILERS: nvrtc nvcc
#include <cudasync/world_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using part = cudasync::world_part<0>;
#else
using part = cudasync::world_part<1>;
#endif

__device__ unsigned most() {
  return part::max_peers;
}
