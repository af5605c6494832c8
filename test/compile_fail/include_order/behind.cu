// Our folder stands behind another one with headers of the same names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: CCCL's folder comes before cudasync's; pass cudasync's first, with -I \(CMake: cudasync_enable\(target\)\)
// COMPILERS: nvrtc nvcc host
// OPTIONS: -I%S/other_library
#if defined(CUDASYNC_EXPECT_ERROR)
#include <cudasync/named_barrier.h>
#else
#include <cudasync/named/named_barrier.h>
#endif
