// CCCL's <cuda/barrier> was included before ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CCCL's <cuda/barrier> came first; put cudasync's include folder before CCCL's, with -I
// COMPILERS: nvrtc host
#if defined(CUDASYNC_EXPECT_ERROR)
#define _CUDA_BARRIER  // the guard of CCCL's header
#else
// Ours alone.
#endif
#include <cuda/barrier>
