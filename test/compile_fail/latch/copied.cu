// A latch is where its memory is, and has no copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
// COMPILERS: nvrtc nvcc
#include <cuda/latch>

__device__ void share(cuda::latch<>& all) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::latch<> other(all);
  other.wait();
#else
  cuda::latch<>& other = all;
  other.wait();
#endif
}
