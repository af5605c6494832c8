// A barrier whose id the run tells has its number of threads from there, too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: no suitable constructor|no instance of constructor|no matching function
#include <cudasync/named_barrier.h>

__device__ void meet(unsigned id) {
#if defined(CUDASYNC_EXPECT_ERROR)
  const cudasync::dynamic_named_barrier bar(id);
  bar.sync();
#else
  const cudasync::dynamic_named_barrier bar(id, 64);
  bar.sync();
#endif
}
