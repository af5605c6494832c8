// First line of each test here: our headers come before the others, or, with THEIRS_FIRST, after them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if !defined(THEIRS_FIRST)
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#endif
