// The histogram with private histograms, as published in a tutorial about atomics, and with the remedy that its text names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/std/span>
#include <thrust/universal_vector.h>

constexpr float bin_width = 10;

__global__ void histogram_kernel(
  cuda::std::span<float> temperatures,
  cuda::std::span<int> block_histograms,
  cuda::std::span<int> histogram)
{
  cuda::std::span<int> block_histogram =
    block_histograms.subspan(blockIdx.x * histogram.size(), histogram.size());

  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  int bin = static_cast<int>(temperatures[cell] / bin_width);

  cuda::std::atomic_ref<int> block_ref(block_histogram[bin]);
  block_ref.fetch_add(1);

  if (threadIdx.x < 10) {
    cuda::std::atomic_ref<int> ref(histogram[threadIdx.x]);
    ref.fetch_add(block_histogram[threadIdx.x]);
  }
}

void histogram(
  cuda::std::span<float> temperatures,
  cuda::std::span<int> block_histograms,
  cuda::std::span<int> histogram,
  cudaStream_t stream)
{
  int block_size = 256;
  int grid_size = cuda::ceil_div(temperatures.size(), block_size);
  histogram_kernel<<<grid_size, block_size, 0, stream>>>(
    temperatures, block_histograms, histogram);
}

__global__ void synchronized_histogram_kernel(
  cuda::std::span<float> temperatures,
  cuda::std::span<int> block_histograms,
  cuda::std::span<int> histogram)
{
  cuda::std::span<int> block_histogram =
    block_histograms.subspan(blockIdx.x * histogram.size(), histogram.size());

  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  int bin = static_cast<int>(temperatures[cell] / bin_width);

  cuda::atomic_ref<int, cuda::thread_scope_block> block_ref(block_histogram[bin]);
  block_ref.fetch_add(1);
  __syncthreads();

  if (threadIdx.x < 10) {
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(histogram[threadIdx.x]);
    ref.fetch_add(block_histogram[threadIdx.x]);
  }
}

void histogram(thrust::universal_vector<float>& temperatures, thrust::universal_vector<int>& block_histograms, thrust::universal_vector<int>& bins)
{
  synchronized_histogram_kernel<<<cuda::ceil_div(temperatures.size(), 256), 256>>>(
    {thrust::raw_pointer_cast(temperatures.data()), temperatures.size()},
    {thrust::raw_pointer_cast(block_histograms.data()), block_histograms.size()},
    {thrust::raw_pointer_cast(bins.data()), bins.size()});
}
