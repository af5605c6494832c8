// A producer is not begun anew.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: (cannot be referenced -- it is a deleted function|use of deleted function)
#include <cudasync/named_barrier.h>

using channel = cudasync::named_channel<cudasync::named_barrier<1, 256>, cudasync::named_barrier<2, 256>>;

__device__ void produce(channel::producer& out) {
#if defined(CUDASYNC_EXPECT_ERROR)
  out = channel::producer();
#else
  out.acquire();
#endif
}
