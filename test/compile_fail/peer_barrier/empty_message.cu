// A message of no values has nothing to wait for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: peer_mailbox: a message needs at least one value, and the ring one stage
// COMPILERS: nvrtc nvcc
#include <cudasync/peer_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using box = cudasync::peer_mailbox<int, 64, 0>;
#else
using box = cudasync::peer_mailbox<int, 64, 1>;
#endif

__device__ int take(box& own) {
  return own.take(1, threadIdx.x);
}
