// CUDA 11 is too old.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CUDA 12.0 or newer is needed; update the toolkit
#if defined(CUDASYNC_EXPECT_ERROR)
#undef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 11
#else
// The compiler as it is.
#endif
#include <cudasync/core/config.h>
