// To count down changes the latch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: type qualifiers that prevent a match|discards qualifiers
#include <cuda/latch>

#if defined(CUDASYNC_EXPECT_ERROR)
using latch_of_all = const cuda::latch<>;
#else
using latch_of_all = cuda::latch<>;
#endif

__device__ void use(latch_of_all& all) {
  all.count_down();
}
