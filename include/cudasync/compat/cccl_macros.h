// The macros that programs expect after a header of libcu++: CCCL_VERSION, NV_IF_TARGET and their kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_CCCL_MACROS_H
#define CUDASYNC_COMPAT_CCCL_MACROS_H

#include <cudasync/core/config.h>

// A program that tests a macro that is not defined takes the other branch without an error. So the values are those of
// the CCCL on the include path, from its own files. Without one, the macros stay undefined.

#if __has_include(<nv/target>)
#include <nv/target>
#endif

// CCCL 2.3 and 2.4 have the second of these. With both, only the configuration header says which CCCL comes first.
#if __has_include(<cuda/std/__cccl/version.h>) && __has_include(<cuda/std/detail/libcxx/include/__cccl/version.h>)
#include <cuda/std/detail/__config>
#elif __has_include(<cuda/std/__cccl/version.h>)
#include <cuda/std/__cccl/version.h>
#elif __has_include(<cuda/std/detail/libcxx/include/__cccl/version.h>)
#include <cuda/std/detail/libcxx/include/__cccl/version.h>
#endif

// CCCL defines these with the same tokens, which a compiler accepts as the same definition.
#if defined(CCCL_VERSION)
#define _LIBCUDACXX_CUDA_API_VERSION CCCL_VERSION
#define _LIBCUDACXX_CUDA_API_VERSION_MAJOR CCCL_MAJOR_VERSION
#define _LIBCUDACXX_CUDA_API_VERSION_MINOR CCCL_MINOR_VERSION
#define _LIBCUDACXX_CUDA_API_VERSION_PATCH CCCL_PATCH_VERSION
#define CUDASYNC_CCCL_VERSION CCCL_VERSION
#else
#define CUDASYNC_CCCL_VERSION 0
#endif

#if CUDASYNC_DROP_IN
#include <cudasync/compat/drop_in.h>
#endif

#endif
