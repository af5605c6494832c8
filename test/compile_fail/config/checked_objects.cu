// The table of the checked build's objects has a power of two places.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CUDASYNC_CHECKED_OBJECTS must be a power of two, 8 or more
// OPTIONS: -DCUDASYNC_CHECKED=1
#if defined(CUDASYNC_EXPECT_ERROR)
#define CUDASYNC_CHECKED_OBJECTS 1000
#else
#define CUDASYNC_CHECKED_OBJECTS 1024
#endif
#include <cuda/barrier>
