// Split arrive and wait: between the two calls, a thread does work that does not depend on other threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data consists of rings of 256 cells. Each block has one ring, and each thread has one cell. In each iteration,
// the new value of a cell is the weighted sum of its neighbors and of its own emission. A thread publishes its cell and
// arrives. Then it computes the emission while other threads arrive. It waits only after that, because only the next
// step reads the neighbors.
//
// needs: sm_70
// 01_split_arrive_wait [cells, rounded up to whole rings] prints:
// expect: 262144 cells, 50 iterations: 0 differ from the host's result
// PASS
#include <cooperative_groups.h>
#include <cuda/barrier>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int ring = 256;
constexpr int iterations = 50;

__host__ __device__ float emission(float value) {  // computes exp(-value) with its power series
  float sum = 1;
  for (int term = 8; term > 0; --term)
    sum = 1 - sum * value / static_cast<float>(term);
  return sum;
}

__host__ __device__ float updated(float left, float right, float emitted) {
  return 0.45f * (left + right) + 0.1f * emitted;
}

__global__ void split_arrive_wait(int iteration_count, float* data) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ barrier bar;
  __shared__ float published[2][ring];  // two buffers: no thread overwrites a cell that a neighbor still reads
  const auto block = cooperative_groups::this_thread_block();

  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();

  const unsigned cell = block.thread_rank();
  float* const mine = data + static_cast<size_t>(blockIdx.x) * ring + cell;
  float value = *mine;
  for (int iteration = 0; iteration < iteration_count; ++iteration) {
    float* const cells = published[iteration % 2];
    cells[cell] = value;
    barrier::arrival_token token = bar.arrive();  // does not block
    const float emitted = emission(value);        // runs while other threads arrive
    bar.wait(std::move(token));                   // after the wait, all cells are published
    value = updated(cells[(cell + ring - 1) % ring], cells[(cell + 1) % ring], emitted);
  }
  *mine = value;
}

void iterate_on_the_host(std::vector<float>& data) {
  float old[ring];
  for (size_t first = 0; first < data.size(); first += ring)
    for (int iteration = 0; iteration < iterations; ++iteration) {
      std::copy_n(&data[first], ring, old);
      for (int cell = 0; cell < ring; ++cell)
        data[first + cell] = updated(old[(cell + ring - 1) % ring], old[(cell + 1) % ring], emission(old[cell]));
    }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t cells = 1 << 18;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &cells, &rest) != 1 || cells < 1 || cells > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  const int rings = static_cast<int>((cells + ring - 1) / ring);
  std::vector<float> data(static_cast<size_t>(rings) * ring);
  float* on_device = nullptr;
  check(cudaMalloc(&on_device, data.size() * sizeof(float)));
  for (size_t cell = 0; cell < data.size(); ++cell)
    data[cell] = static_cast<float>(cell * 7919 % 1000) / 1000;
  std::vector<float> expected = data;
  iterate_on_the_host(expected);
  check(cudaMemcpy(on_device, data.data(), data.size() * sizeof(float), cudaMemcpyHostToDevice));
  split_arrive_wait<<<rings, ring>>>(iterations, on_device);
  check(cudaGetLastError());
  check(cudaMemcpy(data.data(), on_device, data.size() * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaFree(on_device));

  size_t wrong = 0;
  for (size_t cell = 0; cell < data.size(); ++cell)
    wrong += !(std::abs(data[cell] - expected[cell]) <= 1e-5f);
  std::printf("%zu cells, %d iterations: %zu differ from the host's result\n", data.size(), iterations, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
