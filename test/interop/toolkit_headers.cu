// Beside the toolkit's C-like headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ours_first.h"

#include <cuda_awbarrier.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include "ours_atomic.h"

__global__ void toolkit_headers(const int4* source, __half* sum) {
  __shared__ block_barrier bar;
  __shared__ int4 tile[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  nvcuda::experimental::pipeline pipeline;
  nvcuda::experimental::memcpy_async(tile[threadIdx.x], source[threadIdx.x], pipeline);
  pipeline.arrive_on(bar);
  bar.arrive_and_wait();
  sum[threadIdx.x] = __int2half_rn(tile[127 - threadIdx.x].x);

  __shared__ __mbarrier_t raw;
  if (threadIdx.x == 0) __mbarrier_init(&raw, blockDim.x);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&raw);
  while (!__mbarrier_test_wait(&raw, token)) {
  }
}
