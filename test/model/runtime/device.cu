// What the machine says about itself as a device: each figure is right in relation to the others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../support/gpu_test.h"

__global__ void __launch_bounds__(256) bounded(int* to) {
  __shared__ int words[1000];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = words[blockDim.x - 1 - threadIdx.x];
}
__global__ void unbounded(int) {}
__shared__ int many_words[8000];
template <int First>
__global__ void with_many_words(int* to) {
  many_words[threadIdx.x] = First;
  __syncthreads();
  to[threadIdx.x] = many_words[blockDim.x - 1 - threadIdx.x];
}

namespace {

bool is(cudaDeviceAttr which, size_t expected) {
  return static_cast<size_t>(gpu_test::attribute(which)) == expected;
}
template <class Kernel>
cudaFuncAttributes attributes_of(Kernel kernel) {
  cudaFuncAttributes found;
  gpu_test::expect_success(cudaFuncGetAttributes(&found, kernel), "cudaFuncGetAttributes");
  return found;
}
template <class Kernel>
int blocks_of(Kernel kernel, int threads, size_t shared_bytes) {
  int blocks = -1;
  gpu_test::expect_success(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
                           "occupancy");
  return blocks;
}

TEST(attributes_are_the_properties) {
  cudaDeviceProp device;
  gpu_test::expect_success(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  CHECK(device.major == 9 && is(cudaDevAttrComputeCapabilityMajor, 9));
  CHECK(device.minor == 0 && is(cudaDevAttrComputeCapabilityMinor, 0));
  CHECK(device.multiProcessorCount > 0 &&
        is(cudaDevAttrMultiProcessorCount, static_cast<size_t>(device.multiProcessorCount)));
  CHECK(device.warpSize == 32 && is(cudaDevAttrWarpSize, 32));
  CHECK(device.maxThreadsPerBlock == 1024 && is(cudaDevAttrMaxThreadsPerBlock, 1024));
  // The manual's table for compute capability 9.0.
  CHECK(device.sharedMemPerBlock == 48 << 10 && is(cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10));
  CHECK(device.sharedMemPerBlockOptin == 227 << 10 && is(cudaDevAttrMaxSharedMemoryPerBlockOptin, 227 << 10));
  CHECK(device.sharedMemPerMultiprocessor == 228 << 10 && is(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 228 << 10));
  CHECK(device.maxThreadsPerMultiProcessor == 2048 && is(cudaDevAttrMaxThreadsPerMultiProcessor, 2048));
  CHECK(device.regsPerMultiprocessor == 65536 && is(cudaDevAttrMaxRegistersPerMultiprocessor, 65536));
  CHECK(is(cudaDevAttrMaxBlocksPerMultiprocessor, static_cast<size_t>(device.maxBlocksPerMultiProcessor)));
  CHECK(device.totalGlobalMem > 0 && device.l2CacheSize > 0 && gpu_test::attribute(cudaDevAttrClockRate) > 0);
}

TEST(attributes_of_a_kernel) {
  const cudaFuncAttributes small = attributes_of(bounded), large = attributes_of(unbounded);
  CHECK(small.maxThreadsPerBlock == 256 && large.maxThreadsPerBlock == 1024);
  CHECK(small.sharedSizeBytes == 4000 && large.sharedSizeBytes == 0);
  // Of the module, because two kernels have it.
  CHECK(attributes_of(with_many_words<1>).sharedSizeBytes == 32000 &&
        attributes_of(with_many_words<2>).sharedSizeBytes == 32000);
  CHECK(small.ptxVersion == 90 && small.binaryVersion == 90);
  CHECK(small.numRegs > 0 && small.numRegs * 256 <= 65536 && large.numRegs > 0 && large.numRegs * 1024 <= 65536);
}

TEST(occupancy_is_that_of_the_attributes) {
  CHECK(blocks_of(unbounded, 1024, 0) >= 1 && blocks_of(unbounded, 1024, 0) <= 2);
  CHECK(blocks_of(bounded, 256, 0) <= 8 && blocks_of(bounded, 512, 0) == 0);
  CHECK(blocks_of(unbounded, 32, 227 << 10) == 1 && blocks_of(unbounded, 32, 100 << 10) == 2);
  CHECK(blocks_of(unbounded, 32, 228 << 10) == 0);
  int blocks = 0, threads = 0;
  gpu_test::expect_success(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, bounded), "block size");
  CHECK(threads > 0 && threads <= 256);
  CHECK(blocks == blocks_of(bounded, threads, 0) * gpu_test::attribute(cudaDevAttrMultiProcessorCount));
}

}  // namespace

int main(int argc, char** argv) {
  return gpu_test::run_tests(argc, argv);
}
