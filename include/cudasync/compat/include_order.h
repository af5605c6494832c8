// Errors that tell of a wrong order of include folders: another library's headers came first, or stand before ours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_INCLUDE_ORDER_H
#define CUDASYNC_COMPAT_INCLUDE_ORDER_H

// Each public header of ours begins here, so that names of two libraries never mix. A header of which CCCL has the
// namesake is not ours at all when CCCL's folder comes first: to learn that, compile with -include of this file.

#if defined(_CUDA_ATOMIC) || defined(_CUDA_STD_ATOMIC)
#error "cudasync: CCCL's <cuda/atomic> came first; put cudasync's include folder before CCCL's, with -I"
#elif defined(_CUDA_BARRIER) || defined(_CUDA_STD_BARRIER)
#error "cudasync: CCCL's <cuda/barrier> came first; put cudasync's include folder before CCCL's, with -I"
#elif defined(_CUDA_LATCH) || defined(_CUDA_STD_LATCH)
#error "cudasync: CCCL's <cuda/latch> came first; put cudasync's include folder before CCCL's, with -I"
#elif defined(_CUDA_PIPELINE)
#error "cudasync: CCCL's <cuda/pipeline> came first; put cudasync's include folder before CCCL's, with -I"
#elif defined(_CUDA_SEMAPHORE) || defined(_CUDA_STD_SEMAPHORE)
#error "cudasync: CCCL's <cuda/semaphore> came first; put cudasync's include folder before CCCL's, with -I"
#endif

// The guards of CCCL's headers: reached by another path, they are empty.
#define _CUDA_ATOMIC
#define _CUDA_BARRIER
#define _CUDA_LATCH
#define _CUDA_PIPELINE
#define _CUDA_SEMAPHORE
#define _CUDA_STD_ATOMIC
#define _CUDA_STD_BARRIER
#define _CUDA_STD_LATCH
#define _CUDA_STD_SEMAPHORE

// Our <cuda/std/latch>, asked so, answers by a macro.
#define CUDASYNC_ASKS_WHO_IS_FIRST 1
#include <cuda/std/latch>
#undef CUDASYNC_ASKS_WHO_IS_FIRST
#if !defined(CUDASYNC_IS_FIRST)
#error \
    "cudasync: CCCL's folder stands before cudasync's; pass cudasync's first, with -I (CMake: cudasync_enable(target))"
#endif

#endif
