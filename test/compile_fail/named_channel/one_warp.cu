// A warp that produces and one that consumes are two.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_channel: both sides use both barriers; give each barrier the number of threads of the producer and the consumer together
#include <cudasync/named_barrier.h>

using cudasync::named_barrier;

#if defined(CUDASYNC_EXPECT_ERROR)
using channel = cudasync::named_channel<named_barrier<1, 32>, named_barrier<2, 32>>;
#else
using channel = cudasync::named_channel<named_barrier<1, 64>, named_barrier<2, 64>>;
#endif

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}
