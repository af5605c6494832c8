// A value of two bytes would take a word of its own for nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: peer_mailbox: the value must be trivially copyable and have 4 or 8 bytes; pack smaller values
// COMPILERS: nvrtc nvcc
#include <cudasync/peer_barrier.h>

#if defined(CUDASYNC_EXPECT_ERROR)
using box = cudasync::peer_mailbox<short, 64>;
#else
using box = cudasync::peer_mailbox<short2, 64>;
#endif

__device__ void take(box& own, box::value_type* values) {
  values[threadIdx.x] = own.take(1, threadIdx.x);
}
