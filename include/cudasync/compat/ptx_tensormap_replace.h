// tensormap_replace_*, in the place of CCCL's: before CCCL 3.2, calls for sm_103a, sm_110a, sm_120a and sm_121a do not link.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_TENSORMAP_REPLACE_H
#define CUDASYNC_COMPAT_PTX_TENSORMAP_REPLACE_H

#if defined(CCCL_VERSION) && CCCL_VERSION >= 3007000  // as in ptx_qualifiers.h
#include_next <cuda/__ptx/instructions/tensormap_replace.h>
#else
#include <cudasync/compat/ptx_tensormap.h>
#endif

#endif
