// CCCL's <cuda/tma> was included before ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CCCL's <cuda/tma> came first; put cudasync's include folder before CCCL's, with -I
// COMPILERS: nvrtc host
#if defined(CUDASYNC_EXPECT_ERROR)
#define _CUDA_TMA  // the guard of CCCL's header
#else
// Ours alone.
#endif
#include <cuda/tma>
