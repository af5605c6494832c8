// CUDASYNC_ASSERT: preconditions, checked when CUDASYNC_CHECKED is 1 and without any effect otherwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_CORE_ASSERT_H
#define CUDASYNC_CORE_ASSERT_H

#include <cudasync/core/config.h>

#if CUDASYNC_CHECKED

#if CUDASYNC_HAS_HOST
#include <stdio.h>
#include <stdlib.h>
#endif

namespace cudasync {
inline namespace CUDASYNC_ABI {

// Says which thread broke which rule, then stops the kernel (cudaErrorLaunchFailure) or aborts the host program.
CUDASYNC_API void assertion_failed(const char* text, const char* file, int line) {
#if defined(__CUDA_ARCH__)
  printf("%s:%d: cudasync: %s [block (%u,%u,%u), thread (%u,%u,%u)]\n", file, line, text, blockIdx.x, blockIdx.y,
         blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  __trap();
#elif CUDASYNC_HAS_HOST
  fprintf(stderr, "%s:%d: cudasync: %s\n", file, line, text);
  abort();
#endif
}

}  // namespace CUDASYNC_ABI
}  // namespace cudasync

#define CUDASYNC_ASSERT(condition, text) \
  ((condition) ? static_cast<void>(0) : ::cudasync::assertion_failed(text, __FILE__, __LINE__))

#else

#define CUDASYNC_ASSERT(condition, text) static_cast<void>(0)

#endif

#endif
