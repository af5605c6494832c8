// tensormap_replace_* in place of CCCL's, whose calls do not link for sm_103a to sm_121a before CCCL 3.2.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_TENSORMAP_REPLACE_H
#define CUDASYNC_COMPAT_PTX_TENSORMAP_REPLACE_H

#if defined(CCCL_VERSION) && CCCL_VERSION >= 3007000  // as in ptx_qualifiers.h
#include_next <cuda/__ptx/instructions/tensormap_replace.h>
#else
#include <cudasync/compat/ptx_tensormap.h>
#endif

#endif
