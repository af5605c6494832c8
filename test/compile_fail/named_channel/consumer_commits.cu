// The producer commits, and the consumer releases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"commit\"|has no member named .commit.
#include <cudasync/named_barrier.h>

using channel = cudasync::named_channel<cudasync::named_barrier<1, 256>, cudasync::named_barrier<2, 256>>;

__device__ void consume(channel::consumer& in) {
#if defined(CUDASYNC_EXPECT_ERROR)
  in.commit();
#else
  in.release();
#endif
}
