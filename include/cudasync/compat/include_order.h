// Compile-time errors for a wrong order of include folders: CCCL's headers were included first, or are found first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_COMPAT_INCLUDE_ORDER_H
#define CUDASYNC_COMPAT_INCLUDE_ORDER_H

// Each public header of cudasync includes this file first, so that the names of the two libraries never mix. If CCCL's
// folder comes first, a header that both libraries have is CCCL's, and does not include this file. To detect that,
// compile with -include cudasync/compat/include_order.h.

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
#elif defined(_CUDA_TMA)
#error "cudasync: CCCL's <cuda/tma> came first; put cudasync's include folder before CCCL's, with -I"
#elif defined(_CUDA_WORK_STEALING_)
#error "cudasync: CCCL's <cuda/work_stealing> came first; put cudasync's include folder before CCCL's, with -I"
#endif

// Defines the include guards of CCCL's headers, which are then empty if they are included by another path.
#define _CUDA_ATOMIC
#define _CUDA_BARRIER
#define _CUDA_LATCH
#define _CUDA_PIPELINE
#define _CUDA_SEMAPHORE
#define _CUDA_STD_ATOMIC
#define _CUDA_STD_BARRIER
#define _CUDA_STD_LATCH
#define _CUDA_STD_SEMAPHORE
#define _CUDA_TMA
#define _CUDA_WORK_STEALING_

// With this macro, cudasync's <cuda/std/latch> only defines CUDASYNC_IS_FIRST. CCCL's header does not.
#define CUDASYNC_ASKS_WHO_IS_FIRST 1
#include <cuda/std/latch>
#undef CUDASYNC_ASKS_WHO_IS_FIRST
#if !defined(CUDASYNC_IS_FIRST)
#error \
    "cudasync: CCCL's folder comes before cudasync's; pass cudasync's first, with -I (CMake: cudasync_enable(target))"
#endif
#undef CUDASYNC_IS_FIRST

#endif
