// What CCCL's <cuda/annotated_ptr> expected to come along with <cuda/barrier>, until its version 3.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_ACCESS_PROPERTY_H
#define CUDASYNC_COMPAT_ACCESS_PROPERTY_H

#if defined(_CUDA_ANNOTATED_PTR)

#include <cuda/std/cstddef>
#include <cuda/std/type_traits>

#include_next <cuda/std/detail/__access_property>

#endif  // _CUDA_ANNOTATED_PTR

#endif
