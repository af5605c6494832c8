// The checked build keeps calls of 2 to 65,536 lanes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CUDASYNC_CHECKED_LANES must be 2 to 65536
// OPTIONS: -DCUDASYNC_CHECKED=1
#if defined(CUDASYNC_EXPECT_ERROR)
#define CUDASYNC_CHECKED_LANES 100000
#else
#define CUDASYNC_CHECKED_LANES 1024
#endif
#include <cuda/barrier>
