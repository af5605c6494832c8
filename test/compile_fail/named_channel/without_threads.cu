// Where some threads only arrive, their number is needed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: named_channel: both sides use both barriers; give each barrier the number of threads of the producer and the consumer together
#include <cudasync/named_barrier.h>

using cudasync::named_barrier;

#if defined(CUDASYNC_EXPECT_ERROR)
using channel = cudasync::named_channel<named_barrier<1>, named_barrier<2>>;
#else
using channel = cudasync::named_channel<named_barrier<1, 256>, named_barrier<2, 256>>;
#endif

__device__ void produce() {
  channel::producer out;
  out.acquire();
  out.commit();
}
