// GPUs before sm_70 cannot let one lane of a warp wait for another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: independent thread scheduling is needed; compile for sm_70 or newer
// COMPILERS: host
#if defined(CUDASYNC_EXPECT_ERROR)
#define __CUDA_ARCH__ 600
#else
#define __CUDA_ARCH__ 700
#endif
#include <cudasync/core/target.h>
