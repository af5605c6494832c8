// Runs the kernel of one of these programs, with 64 KiB of zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CUDASYNC_TEST_EXPLORE_BUGS_LAUNCH_H
#define CUDASYNC_TEST_EXPLORE_BUGS_LAUNCH_H

#include <cuda_runtime.h>

#include <cstdio>
#include <unistd.h>

// 0 if the kernel ends without an error. On a GPU, a program that hangs is killed after 20 seconds.
template <class Value>
int launch(void (*kernel)(Value*), unsigned blocks, dim3 threads, unsigned blocks_of_cluster = 1) {
  alarm(20);
  constexpr size_t bytes = 64 << 10;
  Value* data = nullptr;
  cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaSuccess) status = cudaMemset(data, 0, bytes);
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;  // for a kernel that synchronizes the grid
  attributes[0].val.cooperative = blocks <= 100;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim.x = blocks_of_cluster;
  attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3(blocks);
  how.blockDim = threads;
  how.attrs = attributes;
  how.numAttrs = blocks_of_cluster > 1 ? 2 : 1;
  if (status == cudaSuccess) status = cudaLaunchKernelEx(&how, kernel, data);
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(status));
  return status == cudaSuccess ? 0 : 1;
}

#endif
