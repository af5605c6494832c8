// All of what synchronizes in libcu++'s cuda::ptx, for <cuda/ptx> where CCCL is not on the include path.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_PTX_ALL_H
#define CUDASYNC_COMPAT_PTX_ALL_H

#include <cudasync/core/config.h>

#if CUDASYNC_CUDA

#include <cudasync/compat/ptx.h>
#include <cudasync/compat/ptx_copies.h>
#include <cudasync/compat/ptx_launch_control.h>
#include <cudasync/compat/ptx_multimem.h>
#include <cudasync/compat/ptx_qualifiers.h>
#include <cudasync/compat/ptx_reductions.h>
#include <cudasync/compat/ptx_remote.h>
#include <cudasync/compat/ptx_tensor_cores.h>
#include <cudasync/compat/ptx_tensormap.h>
#include <cudasync/compat/vocabulary.h>

// With this macro of libcu++, programs ask for the PTX ISA version: major * 100 + minor * 10.
#if !defined(__cccl_ptx_isa)
#define __cccl_ptx_isa (CUDASYNC_PTX_ISA * 10ULL)
#endif

#endif  // CUDASYNC_CUDA

#endif
