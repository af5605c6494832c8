// A part without slots is for nobody.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: peer_part: the number of GPUs must be 1 to 1024
// COMPILERS: nvrtc nvcc
#include <cudasync/peer_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using part = cudasync::peer_part<0>;
#else
using part = cudasync::peer_part<1>;
#endif

__device__ void meet(part* const* parts) {
  cudasync::peer_barrier bar(parts, 0, 1);
  bar.arrive_and_wait();
}
