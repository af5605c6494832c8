// Full and empty are two conditions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_channel needs two barriers: give Full and Empty different ids
// COMPILERS: nvrtc nvcc
#include <cudasync/named_barrier.h>

using cudasync::named_barrier;

#if defined(CUDASYNC_EXPECT_ERROR)
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<1, 256>>;
#else
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<2, 256>>;
#endif

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}
