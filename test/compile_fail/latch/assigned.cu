// A latch is used once; its memory is begun anew by init.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
#include <cuda/latch>

__device__ void restart(cuda::latch<>& all) {
#if defined(CUDASYNC_EXPECT_ERROR)
  all = cuda::latch<>(32);
#else
  init(&all, 32);
#endif
}
