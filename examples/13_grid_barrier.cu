// A grid barrier: one kernel computes all time steps of the spread of heat over a ring of cells.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In each step, the new value of a cell is the mean of the cell and its two neighbors. All blocks of the grid
// synchronize after each step, so that all cells are updated before any thread reads them in the next step. The launch
// is cooperative: either all blocks run at the same time, or the launch fails.
//
// needs: sm_70
// 13_grid_barrier [cells] prints:
// expect: 262144 cells, 100 steps: 0 differ from the host's result
// PASS
#include <cudasync/grid_barrier.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr int steps = 100;
constexpr int threads = 256;

__device__ cudasync::grid_barrier<> all_blocks;  // static storage is zero, and a zero barrier is ready for use

__host__ __device__ float mean(float left, float own, float right) {
  return (left + own + right) * (1.0f / 3);
}

__global__ void spread(float* cells, float* next, unsigned size) {
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    for (unsigned cell = first; cell < size; cell += gridDim.x * blockDim.x)
      next[cell] = mean(cells[cell == 0 ? size - 1 : cell - 1], cells[cell], cells[cell + 1 == size ? 0 : cell + 1]);
    all_blocks.arrive_and_wait();
    float* const old = cells;
    cells = next;
    next = old;
  }
}

void spread_on_the_host(std::vector<float>& cells) {
  std::vector<float> next(cells.size());
  for (int step = 0; step < steps; ++step) {
    for (size_t cell = 0; cell < cells.size(); ++cell)
      next[cell] = mean(cells[cell == 0 ? cells.size() - 1 : cell - 1], cells[cell],
                        cells[cell + 1 == cells.size() ? 0 : cell + 1]);
    cells.swap(next);
  }
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t size = 1 << 18;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &size, &rest) != 1 || size < 1 || size > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<float> cells(size);
  for (size_t cell = 0; cell < size; ++cell)
    cells[cell] = static_cast<float>(cell * 7919 % 1000) / 1000;
  std::vector<float> expected = cells;
  spread_on_the_host(expected);

  float* data[2] = {};
  for (float*& array : data)
    check(cudaMalloc(&array, size * sizeof(float)));
  check(cudaMemcpy(data[0], cells.data(), size * sizeof(float), cudaMemcpyHostToDevice));
  int resident = 0, multiprocessors = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, spread, threads, 0));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  unsigned count = static_cast<unsigned>(size);
  void* arguments[] = {&data[0], &data[1], &count};
  const dim3 grid(static_cast<unsigned>(resident * multiprocessors));
  check(
      cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&spread), grid, dim3(threads), arguments, 0, nullptr));
  check(cudaMemcpy(cells.data(), data[steps % 2], size * sizeof(float), cudaMemcpyDeviceToHost));
  for (float* const array : data)
    check(cudaFree(array));

  size_t wrong = 0;
  for (size_t cell = 0; cell < size; ++cell)
    wrong += !(std::abs(cells[cell] - expected[cell]) <= 1e-5f);
  std::printf("%zu cells, %d steps: %zu differ from the host's result\n", size, steps, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
