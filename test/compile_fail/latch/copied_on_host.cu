// A latch of host threads has no copies, either.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: deleted
// COMPILERS: host
#include <cuda/latch>

void share(cuda::latch<>& all) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cuda::latch<> other(all);
  other.wait();
#else
  cuda::latch<>& other = all;
  other.wait();
#endif
}
