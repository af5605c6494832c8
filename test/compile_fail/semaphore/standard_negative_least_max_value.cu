// There are no fewer permits than none in the standard's semaphore.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: counting_semaphore: LeastMaxValue is the largest number of permits; give 0 or more
// COMPILERS: host
#include <cuda/std/semaphore>

#if defined(CUDASYNC_EXPECT_ERROR)
using permits = cuda::std::counting_semaphore<-1>;
#else
using permits = cuda::std::counting_semaphore<7>;
#endif

void use(permits& some) {
  some.acquire();
}
