// The headers that CCCL's <cuda/annotated_ptr>, until version 3.0, expects <cuda/barrier> to include.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_ANNOTATED_PTR_H
#define CUDASYNC_COMPAT_ANNOTATED_PTR_H

#if defined(_CUDA_ANNOTATED_PTR)

#include <cuda/std/cstddef>
#include <cuda/std/type_traits>
#if !defined(CCCL_VERSION) || CCCL_VERSION < 2008000
#include <cuda/std/iterator>
#endif

#endif

#endif
