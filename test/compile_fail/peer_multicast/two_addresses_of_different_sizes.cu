// Both addresses are of parts of the same size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (no instance of constructor|cannot deduce|could not deduce|conflicting)
// COMPILERS: nvrtc nvcc
#include <cudasync/peer_multicast.h>

__device__ void meet(cudasync::peer_part<>* own, cudasync::peer_part<>* everywhere, cudasync::peer_part<72>* other) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::multicast_part parts(own, other);
#else
  cudasync::multicast_part parts(own, everywhere);
#endif
  cudasync::peer_barrier bar(parts, 0, 1);
  bar.arrive_and_wait();
  static_cast<void>(other);
}
