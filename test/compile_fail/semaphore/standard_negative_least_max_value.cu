// There are no fewer permits than none in the standard's semaphore.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: counting_semaphore: LeastMaxValue is the largest number of permits; give 0 or more
// COMPILERS: host
#include <cuda/std/semaphore>

using permits = cuda::std::counting_semaphore<-1>;  // wrong
using permits = cuda::std::counting_semaphore<7>;   // right

void use(permits& some) {
  some.acquire();
}
