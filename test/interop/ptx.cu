// Beside CCCL's <cuda/ptx>: both libraries' functions and tags are found, and no call is ambiguous.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ours_first.h"

#include <cuda/ptx>

#include "ours_atomic.h"
#include "ptx_calls.h"
