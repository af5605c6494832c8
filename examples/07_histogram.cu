// The histogram of a file's bytes: a kernel with a data race, the same with a barrier, and with the scopes that suffice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block counts its bytes in a histogram of its own and adds that to the total. The threads add what others have
// counted: without __syncthreads() between the two, some read too early and the total misses counts. How many bins are
// then wrong differs from run to run. It is not a failure of this program. The last kernel differs only in the scopes:
// only threads of one block use its histogram, and only threads of this GPU use the total.
//
// needs: sm_70
// 07_histogram [file, or how many bytes to generate] prints, with other rates:
// expect: 16777216 bytes
// expect: with a data race, on purpose: [0-9]+ of 256 bins are wrong \(any number is possible\), [0-9.]+ GB/s
// expect: with a barrier: 0 of 256 bins are wrong, [0-9.]+ GB/s
// expect: with narrower scopes: 0 of 256 bins are wrong, [0-9.]+ GB/s
// PASS
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/std/span>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/fill.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <vector>

constexpr size_t bins = 256;
constexpr size_t block_size = 256;  // in threads, each of which adds one bin to the total
constexpr size_t block_bytes = 4096;
constexpr size_t max_bytes = 0x7fffffff;

using system_ref = cuda::std::atomic_ref<int>;
using device_ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
using block_ref = cuda::atomic_ref<int, cuda::thread_scope_block>;

template <class PrivateRef, class TotalRef, bool HasBarrier>
__global__ void histogram_kernel(cuda::std::span<const unsigned char> bytes, cuda::std::span<int> block_histograms,
                                 cuda::std::span<int> histogram) {
  const cuda::std::span<int> block_histogram = block_histograms.subspan(blockIdx.x * bins, bins);
  const cuda::std::span<const unsigned char> rest = bytes.subspan(blockIdx.x * block_bytes);
  for (size_t cell = threadIdx.x; cell < block_bytes && cell < rest.size(); cell += block_size) {
    PrivateRef count(block_histogram[rest[cell]]);
    count.fetch_add(1);
  }

  if constexpr (HasBarrier) __syncthreads();

  TotalRef total(histogram[threadIdx.x]);
  total.fetch_add(block_histogram[threadIdx.x]);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

template <class Value>
cuda::std::span<Value> span_of(thrust::device_vector<Value>& vector) {
  return {thrust::raw_pointer_cast(vector.data()), vector.size()};
}

// Runs a kernel, prints its rate, and returns the number of wrong bins.
template <class Kernel>
int run(const char* name, const char* remark, Kernel kernel, thrust::device_vector<unsigned char>& bytes,
        const std::vector<int>& expected) {
  const size_t blocks = cuda::ceil_div(bytes.size(), block_bytes);
  thrust::device_vector<int> block_histograms(blocks * bins), histogram(bins);
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  for (int round = 0; round < 2; ++round) {  // the first loads the kernel
    thrust::fill(block_histograms.begin(), block_histograms.end(), 0);
    thrust::fill(histogram.begin(), histogram.end(), 0);
    check(cudaEventRecord(start));
    kernel<<<static_cast<unsigned>(blocks), block_size>>>(span_of(bytes), span_of(block_histograms),
                                                          span_of(histogram));
    check(cudaGetLastError());
    check(cudaEventRecord(stop));
    check(cudaEventSynchronize(stop));
  }
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop));
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  std::vector<int> result(bins);
  thrust::copy(histogram.begin(), histogram.end(), result.begin());
  int wrong = 0;
  for (size_t bin = 0; bin < bins; ++bin)
    wrong += result[bin] != expected[bin];
  std::printf("%s %d of %zu bins are wrong%s, %.2f GB/s\n", name, wrong, bins, remark,
              bytes.size() / (milliseconds * 1e6));
  return wrong;
}

// The bytes of the file, or as many as the argument says, in no order.
std::vector<unsigned char> read_or_generate(const char* argument) {
  std::vector<unsigned char> bytes;
  size_t size = 0;
  char rest;
  if (std::sscanf(argument, "%10zu%c", &size, &rest) == 1 && size >= 1 && size <= max_bytes) {
    for (size_t cell = 0; cell < size; ++cell)
      bytes.push_back(static_cast<unsigned char>(cell * 2654435761 >> 24));
    return bytes;
  }
  unsigned char part[4096];
  std::FILE* const file = std::fopen(argument, "rb");
  while (file != nullptr && bytes.size() <= max_bytes && (size = std::fread(part, 1, sizeof(part), file)) > 0)
    bytes.insert(bytes.end(), part, part + size);
  const char* const problem = file == nullptr || std::ferror(file) ? std::strerror(errno)
                              : bytes.empty()                      ? "the file is empty"
                              : bytes.size() > max_bytes           ? "the file has more than 2147483647 bytes"
                                                                   : nullptr;
  if (problem != nullptr) {
    std::fprintf(stderr, "error: %s: %s\n", argument, problem);
    std::exit(1);
  }
  std::fclose(file);
  return bytes;
}

int main(int argc, char** argv) try {
  const std::vector<unsigned char> input = read_or_generate(argc > 1 ? argv[1] : "16777216");
  std::vector<int> expected(bins);
  for (const unsigned char byte : input)
    ++expected[byte];

  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  thrust::device_vector<unsigned char> bytes = input;
  std::printf("%zu bytes\n", input.size());
  run("with a data race, on purpose:", " (any number is possible)", histogram_kernel<system_ref, system_ref, false>,
      bytes, expected);
  const int wrong = run("with a barrier:", "", histogram_kernel<system_ref, system_ref, true>, bytes, expected) +
                    run("with narrower scopes:", "", histogram_kernel<block_ref, device_ref, true>, bytes, expected);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
} catch (const std::exception& exception) {  // of Thrust
  std::fprintf(stderr, "error: %s\n", exception.what());
  return 1;
}
