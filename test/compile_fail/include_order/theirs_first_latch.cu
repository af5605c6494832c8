// CCCL's <cuda/latch> was included before a header of ours that CCCL does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CCCL's <cuda/latch> came first; put cudasync's include folder before CCCL's, with -I
// COMPILERS: nvrtc host
#if defined(CUDASYNC_EXPECT_ERROR)
#define _CUDA_LATCH  // the guard of CCCL's header
#else
// Ours alone.
#endif
#include <cudasync/named_barrier.h>
