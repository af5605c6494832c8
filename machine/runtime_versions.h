// Names that the headers of older toolkits lack.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_MACHINE_RUNTIME_VERSIONS_H
#define CUDASYNC_MACHINE_RUNTIME_VERSIONS_H

#include <cuda_runtime_api.h>

#if CUDART_VERSION < 12010
using cudaKernel_t = struct CUkern_st*;
#endif

#endif
