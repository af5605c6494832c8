// Pipelines beside CUB, Thrust, CCCL's <cuda/ptx> and much of its standard library, all in one translation unit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: libcudacxx/test/libcudacxx/cuda/pipeline and cuda/memcpy_async
// passes: both
#include "ours_first.h"

#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cuda/functional>
#include <cuda/ptx>
#include <cuda/std/array>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>

#include "ours_pipeline.h"

__global__ void sum_tiles(const int* data, int tiles, int* sum) {
  using reduce = cub::BlockReduce<int, 128>;
  __shared__ typename reduce::TempStorage storage;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  alignas(16) __shared__ int tile[2][128];
  auto pipe = cuda::make_pipeline(whole_block{}, &state);
  const auto load = [&](int index) {
    pipe.producer_acquire();
    cuda::memcpy_async(whole_block{}, tile[index % 2], data + index * 128, cuda::aligned_size_t<16>(512), pipe);
    pipe.producer_commit();
  };
  int result = 0;
  load(0);
  for (int index = 0; index != tiles; ++index) {
    if (index + 1 != tiles) load(index + 1);
    pipe.consumer_wait();
    result += tile[index % 2][threadIdx.x];
    pipe.consumer_release();
  }
  result = reduce(storage).Sum(result);
  if (threadIdx.x == 0 && cuda::ptx::get_sreg_ctaid_x() == 0) *sum = result;
}

int sum_of(const thrust::device_vector<int>& data) {
  thrust::device_vector<int> sum(1);
  sum_tiles<<<1, 128>>>(thrust::raw_pointer_cast(data.data()), static_cast<int>(data.size() / 128),
                        thrust::raw_pointer_cast(sum.data()));
  return sum[0] - thrust::reduce(data.begin(), data.end());
}
