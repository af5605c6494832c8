// Beside CUB: a block's and a device's algorithm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CCCL: cub/test, as far as CUB includes headers for synchronization
#include "ours_first.h"

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#if __has_include(<cub/device/device_transform.cuh>)  // since CCCL 2.8
#include <cub/device/device_transform.cuh>
#endif

#include "ours_atomic.h"

__global__ void reduce_block(const int* data, int* sum) {
  using reduce = cub::BlockReduce<int, 128>;
  __shared__ typename reduce::TempStorage storage;
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  const int result = reduce(storage).Sum(data[threadIdx.x]);
  bar.arrive_and_wait();
  if (threadIdx.x == 0) *sum = result;
}

cudaError_t reduce_device(const int* data, int* sum, int count, void* storage, size_t& bytes) {
  return cub::DeviceReduce::Sum(storage, bytes, data, sum, count);
}
