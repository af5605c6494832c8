// A store through a multicast address is an instruction of sm_90.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: stores through a multicast address need sm_90: pass the addresses of all GPUs' parts or signals on older architectures, or compile with -arch=sm_90 or newer
// COMPILERS: nvrtc nvcc
// ARCHS: 80
#include <cudasync/peer_multicast.h>

using part = cudasync::peer_part<>;

__device__ void meet(part* own, part* everywhere, part* const* parts, unsigned rank) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::peer_barrier bar(cudasync::multicast_part(own, everywhere), rank, 2);
#else
  cudasync::peer_barrier bar(parts, rank, 2);
#endif
  bar.arrive_and_wait();
}
