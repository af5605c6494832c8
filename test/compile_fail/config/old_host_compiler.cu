// g++ 7 is too old.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: g\+\+ 8 or newer is needed; set the host compiler with -ccbin
// COMPILERS: host
#if defined(CUDASYNC_EXPECT_ERROR)
#undef __GNUC__
#define __GNUC__ 7
#else
// The compiler as it is.
#endif
#include <cudasync/core/config.h>
