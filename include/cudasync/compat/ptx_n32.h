// CCCL's helpers for <cuda/ptx>; before CCCL 2.8, their n32_t is renamed, so that cudasync's is the only one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_N32_H
#define CUDASYNC_COMPAT_PTX_N32_H

#if defined(CCCL_VERSION) && CCCL_VERSION < 2008000
#include <cudasync/compat/ptx.h>
#define n32_t cudasync_unused_n32_t
#include_next <cuda/__ptx/ptx_helper_functions.h>
#undef n32_t
#elif defined(CCCL_VERSION)
#include_next <cuda/__ptx/ptx_helper_functions.h>
#endif

#endif
