// A wait that may fail says whether it did.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: ignoring return value from (routine|function)[^\n]*\"nodiscard\"
// OPTIONS: --diag-error=2809
#include <cuda/latch>

__device__ void use(const cuda::latch<>& all) {
#if defined(CUDASYNC_EXPECT_ERROR)
  all.try_wait();
#else
  all.wait();
#endif
}
