// An id that only the run tells is for dynamic_named_barrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: expression must have a constant value|not a constant expression|constant expression
#include <cudasync/named_barrier.h>

__device__ void meet([[maybe_unused]] unsigned id) {
#if defined(CUDASYNC_EXPECT_ERROR)
  cudasync::named_barrier<id, 64>::sync();
#else
  const cudasync::dynamic_named_barrier bar(id, 64);
  bar.sync();
#endif
}
