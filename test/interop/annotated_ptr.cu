// Beside CCCL's <cuda/annotated_ptr>: its copies from annotated pointers take our barriers and pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/annotated_ptr and cuda/memcpy_async
#include "ours_first.h"

#include <cuda/annotated_ptr>

#include "ours_pipeline.h"

template <class Tracker>
__device__ void copy(int* tile, int* data, Tracker& tracker) {
  const cuda::annotated_ptr<int, cuda::access_property::persisting> source(data);
  const cuda::annotated_ptr<int, cuda::access_property::shared> destination(tile);
  cuda::memcpy_async(tile, source, sizeof(int), tracker);
  cuda::memcpy_async(destination, source, cuda::aligned_size_t<16>(16), tracker);
  cuda::memcpy_async(whole_block{}, tile, source, 16, tracker);
  cuda::memcpy_async(whole_block{}, destination, source, cuda::aligned_size_t<16>(16), tracker);
}

__global__ void copy_from_annotated(int* data, cuda::barrier<cuda::thread_scope_device>* in_grid) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ block_barrier bar;
  alignas(16) __shared__ int tile[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  copy(tile, data, bar);
  copy(tile, data, *in_grid);
  auto alone = cuda::make_pipeline();
  copy(tile, data, alone);
  auto shared = cuda::make_pipeline(whole_block{}, &state);
  shared.producer_acquire();
  copy(tile, data, shared);
  shared.producer_commit();
  cuda::apply_access_property(data, sizeof(int), cuda::access_property::persisting{});
}
