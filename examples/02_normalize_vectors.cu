// Normalizes two vectors by the square root of their dot product, in one kernel that synchronizes blocks and the grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each warp adds the sums of its threads with shuffles. After a barrier, a block adds the sums of its warps. Block 0
// adds the sums of the blocks. grid.sync() requires a cooperative launch, in which all blocks run at the same time.
// This program launches one block for each multiprocessor.
//
// needs: sm_70
// 02_normalize_vectors [elements] prints:
// expect: 2 vectors of 1048576: 0 elements are wrong
// PASS
#include <cooperative_groups.h>
#include <cuda/barrier>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

constexpr unsigned threads = 1024;  // per block
using barrier = cuda::barrier<cuda::thread_scope_block>;
using warp_tile = cooperative_groups::thread_block_tile<32>;

__device__ double warp_sum(const warp_tile& warp, double value) {
  for (unsigned offset = warp.size() / 2; offset > 0; offset /= 2)
    value += warp.shfl_down(value, offset);
  return value;  // complete in lane 0
}

__device__ void reduce_block_data(barrier& bar, const warp_tile& warp, double thread_sum, double* result) {
  __shared__ double warp_sums[threads / 32];
  thread_sum = warp_sum(warp, thread_sum);
  if (warp.thread_rank() == 0) warp_sums[warp.meta_group_rank()] = thread_sum;
  auto token = bar.arrive();
  bar.wait(std::move(token));  // after the wait, the sums of all warps are stored
  const double sum = warp_sum(warp, warp_sums[warp.thread_rank()]);
  if (warp.meta_group_rank() == 0 && warp.thread_rank() == 0) *result = sum;
}

__global__ void __launch_bounds__(threads) normalize(float* a, float* b, double* sums, size_t size) {
  __shared__ barrier bar;
  const auto grid = cooperative_groups::this_grid();
  const auto block = cooperative_groups::this_thread_block();
  const auto warp = cooperative_groups::tiled_partition<32>(block);
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  double sum = 0;
  for (size_t index = grid.thread_rank(); index < size; index += grid.size())
    sum += a[index] * b[index];
  reduce_block_data(bar, warp, sum, &sums[blockIdx.x]);
  grid.sync();

  if (blockIdx.x == 0) {
    sum = block.thread_rank() < gridDim.x ? sums[block.thread_rank()] : 0;
    reduce_block_data(bar, warp, sum, &sums[gridDim.x]);
  }
  grid.sync();

  const double length = sqrt(sums[gridDim.x]);
  for (size_t index = grid.thread_rank(); index < size; index += grid.size()) {
    a[index] = static_cast<float>(a[index] / length);
    b[index] = static_cast<float>(b[index] / length);
  }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t size = 1 << 20;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<float> vectors(2 * size), normalized(2 * size);  // a, then b
  for (size_t index = 0; index < vectors.size(); ++index)
    vectors[index] = 1 + static_cast<float>(index * 7919 % 1000) / 1000;
  int blocks = 0;
  check(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0));  // less than the threads of a block
  float* a = nullptr;
  double* sums = nullptr;  // the sum of each block, and the total
  check(cudaMalloc(&a, vectors.size() * sizeof(float)));
  check(cudaMalloc(&sums, (blocks + 1) * sizeof(double)));
  check(cudaMemcpy(a, vectors.data(), vectors.size() * sizeof(float), cudaMemcpyHostToDevice));
  float* b = a + size;
  void* arguments[] = {&a, &b, &sums, &size};
  check(cudaLaunchCooperativeKernel(normalize, blocks, threads, arguments));
  check(cudaMemcpy(normalized.data(), a, vectors.size() * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(a));
  check(cudaFree(sums));
  const double dot = std::inner_product(vectors.begin(), vectors.begin() + size, vectors.begin() + size, 0.0);
  size_t wrong = 0;
  for (size_t index = 0; index < vectors.size(); ++index)
    wrong += !(std::abs(normalized[index] * std::sqrt(dot) / vectors[index] - 1) <= 1e-6);
  std::printf("2 vectors of %zu: %zu elements are wrong\n%s\n", size, wrong, wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
