// The consumer releases, and the producer commits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: has no member \"release\"|has no member named .release.
#include <cudasync/named_barrier.h>

using channel = cudasync::named_channel<cudasync::named_barrier<1, 256>, cudasync::named_barrier<2, 256>>;

__device__ void produce(channel::producer& out) {
#if defined(CUDASYNC_EXPECT_ERROR)
  out.release();
#else
  out.commit();
#endif
}
