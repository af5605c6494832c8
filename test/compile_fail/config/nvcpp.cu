// nvc++ compiles host and device in one pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: nvc\+\+ compiles host and device in one pass, which tag dispatch cannot serve; compile with nvcc or clang
// COMPILERS: nvrtc host
#if defined(CUDASYNC_EXPECT_ERROR)
#define __NVCOMPILER 1
#else
// The compiler as it is.
#endif
#include <cudasync/core/config.h>
