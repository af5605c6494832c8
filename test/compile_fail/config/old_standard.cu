// C++14 is too old.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ERROR: C\+\+17 or newer is needed; add -std=c\+\+17
// COMPILERS: host
#if defined(CUDASYNC_EXPECT_ERROR)
#undef __cplusplus
#define __cplusplus 201402L
#else
// The compiler as it is.
#endif
#include <cudasync/core/config.h>
