// Beside CCCL's <cuda/ptx>: both libraries' functions and tags are found, and no call is ambiguous.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/ptx
#include "ours_first.h"

#include <cuda/ptx>

#include "ours_atomic.h"
#include "ptx_calls.h"

// <cuda/ptx> is found through our folder, and is CCCL's here: our <cuda/ptx> includes it.
__global__ void only_in_cuda_ptx(int* data) {
  using namespace cuda::ptx;
  __shared__ uint64_t bar;
  alignas(16) __shared__ int tile[4];
  st_async(tile, data[0], &bar);
  cuda::ptx::red_async(op_add, tile, data[0], &bar);
  cuda::ptx::cp_reduce_async_bulk(space_global, space_shared, op_min, data, tile, sizeof(tile));
}
