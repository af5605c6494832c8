// A signal through a multicast address is an instruction of sm_90.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: stores through a multicast address need sm_90: pass the addresses of all GPUs' parts or signals on older architectures
// ARCHS: 70 80
#include <cudasync/peer_multicast.h>

__device__ void tell(cudasync::peer_signal* everywhere, cudasync::peer_signal* const* signals, unsigned gpus) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::multicast_signal(everywhere).signal(1);
#else
  for (unsigned gpu = 0; gpu < gpus; ++gpu)
    signals[gpu]->signal(1);
#endif
}
