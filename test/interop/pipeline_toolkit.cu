// Pipelines beside the C-like headers of the toolkit, which share groups of cp.async, and cooperative groups' copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ours_first.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include "ours_pipeline.h"

namespace cg = cooperative_groups;

// Copies begun by one are committed and waited for by the other.
__global__ void mixed_groups(const int4* source, int4* result) {
  __shared__ int4 tile[128];
  thread_pipeline pipe = cuda::make_pipeline();
  __pipeline_memcpy_async(&tile[threadIdx.x], &source[threadIdx.x], sizeof(int4));
  pipe.producer_commit();
  cuda::memcpy_async(&tile[threadIdx.x + 64], &source[threadIdx.x + 64], sizeof(int4), pipe);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  result[threadIdx.x] = tile[threadIdx.x];
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  result[threadIdx.x + 64] = tile[threadIdx.x + 64];
}

// The toolkit's pipeline arrives on our barriers, of which __mbarrier_t is the storage.
__global__ void arrive_on_ours(const int4* source, int4* result) {
  __shared__ block_barrier bar;
  __shared__ int4 tile[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  nvcuda::experimental::pipeline pipe;
  nvcuda::experimental::memcpy_async(tile[threadIdx.x], source[threadIdx.x], pipe);
  pipe.arrive_on(bar);
  bar.arrive_and_wait();
  __pipeline_memcpy_async(&tile[threadIdx.x], &source[threadIdx.x], sizeof(int4));
  __pipeline_arrive_on(reinterpret_cast<__mbarrier_t*>(cuda::device::barrier_native_handle(bar)));
  bar.arrive_and_wait();
  result[threadIdx.x] = tile[127 - threadIdx.x];
}

template <class Group, class Tracker>
__device__ void copy(const Group& group, int* tile, const int* source, Tracker& tracker) {
  cuda::memcpy_async(group, tile, source, sizeof(int) * group.size(), tracker);
  memcpy_async(group, tile, source, cuda::aligned_size_t<4>(sizeof(int) * group.size()), tracker);
}

__global__ void groups_copy(const int* source, int* result) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ block_barrier bar;
  __shared__ int tile[128];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  if (block.thread_rank() == 0) init(&bar, block.size());
  auto pipe = cuda::make_pipeline(block, &state);
  auto alone = cuda::make_pipeline();
  pipe.producer_acquire();
  copy(block, tile, source, bar);
  copy(block, tile, source, pipe);
  copy(warp, tile, source, pipe);
  copy(cg::coalesced_threads(), tile, source, pipe);
  copy(cg::this_thread(), tile, source, alone);
  pipe.producer_commit();
  cg::memcpy_async(block, tile, source, sizeof(tile));
  cg::wait(block);
  bar.arrive_and_wait();
  pipe.consumer_wait();
  result[block.thread_rank()] = tile[block.thread_rank()];
  pipe.consumer_release();
}
