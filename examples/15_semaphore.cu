// A semaphore on the device: many blocks share a few workspaces, and wait until a workspace is free.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each block sorts a tile with a counting sort. The table of counts takes too much memory to have one table per block.
// A counting semaphore counts the free tables. A binary semaphore protects a stack of the numbers of the free tables.
// Threads get permits in the order in which they request them, so no block starves. A latch counts the sorted tiles,
// and a kernel on another stream waits for the latch.
//
// needs: sm_70
// 15_semaphore [tiles] prints:
// expect: 500 tiles, 16 tables: 0 tiles are out of order
// PASS
#include <cuda/latch>
#include <cuda/semaphore>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned tables = 16;
constexpr unsigned values = 4096;  // the number of different values of a cell
constexpr unsigned tile = 1024;    // cells per tile
constexpr unsigned threads = 128;

__device__ cuda::counting_semaphore<cuda::thread_scope_device, tables> free_tables(tables);
__device__ cuda::binary_semaphore<cuda::thread_scope_device> stack_is_mine(1);
__device__ unsigned stack[tables], free_count;

__device__ unsigned take_table() {
  free_tables.acquire();
  stack_is_mine.acquire();
  const unsigned table = stack[--free_count];
  stack_is_mine.release();
  return table;
}

__device__ void give_back(unsigned table) {
  stack_is_mine.acquire();
  stack[free_count++] = table;
  stack_is_mine.release();
  free_tables.release();
}

__global__ void fill_stack() {
  for (free_count = 0; free_count < tables; ++free_count)
    stack[free_count] = free_count;
}

__global__ void sort_tiles(unsigned* cells, unsigned* all_counts, cuda::latch<cuda::thread_scope_device>* sorted) {
  __shared__ unsigned table;
  if (threadIdx.x == 0) table = take_table();
  __syncthreads();
  unsigned* const counts = all_counts + table * values;
  unsigned* const mine = cells + static_cast<size_t>(blockIdx.x) * tile;
  for (unsigned value = threadIdx.x; value < values; value += threads)
    counts[value] = 0;
  __syncthreads();
  for (unsigned cell = threadIdx.x; cell < tile; cell += threads)
    atomicAdd(&counts[mine[cell]], 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned cell = 0;
    for (unsigned value = 0; value < values; ++value)
      for (unsigned left = counts[value]; left > 0; --left)
        mine[cell++] = value;
    give_back(table);
    sorted->count_down();
  }
}

// Runs on another stream, waits until all tiles are sorted, and counts the tiles that are out of order.
__global__ void wait_for_tiles(cuda::latch<cuda::thread_scope_device>* sorted, const unsigned* cells, unsigned tiles,
                               unsigned* out_of_order) {
  sorted->wait();
  for (unsigned index = threadIdx.x; index < tiles; index += threads)
    for (unsigned cell = 1; cell < tile; ++cell)
      if (cells[index * size_t{tile} + cell - 1] > cells[index * size_t{tile} + cell]) {
        atomicAdd(out_of_order, 1u);
        break;
      }
}

__global__ void begin(cuda::latch<cuda::thread_scope_device>* sorted, unsigned tiles) {
  init(sorted, tiles);
}

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(status));
  std::exit(status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ? 77 : 1);  // 77: skipped, no GPU
}

int main(int argc, char** argv) {
  size_t tiles = 500;
  char rest;
  if (argc > 1 && (std::sscanf(argv[1], "%10zu%c", &tiles, &rest) != 1 || tiles < 1 || tiles > 0x7fffffff))
    return std::fputs("error: the argument must be an integer from 1 to 2147483647\n", stderr), 1;
  std::vector<unsigned> cells(tiles * tile);
  for (size_t cell = 0; cell < cells.size(); ++cell)
    cells[cell] = static_cast<unsigned>(cell * 7919 % 65521 % values);
  unsigned *cells_on_device = nullptr, *counts = nullptr, *out_of_order = nullptr;
  cuda::latch<cuda::thread_scope_device>* sorted = nullptr;
  check(cudaMalloc(&cells_on_device, cells.size() * sizeof(unsigned)));
  check(cudaMalloc(&counts, size_t{tables} * values * sizeof(unsigned)));
  check(cudaMalloc(&out_of_order, sizeof(unsigned)));
  check(cudaMalloc(&sorted, sizeof *sorted));
  check(cudaMemset(out_of_order, 0, sizeof(unsigned)));
  check(cudaMemcpy(cells_on_device, cells.data(), cells.size() * sizeof(unsigned), cudaMemcpyHostToDevice));
  const unsigned count = static_cast<unsigned>(tiles);
  fill_stack<<<1, 1>>>();
  begin<<<1, 1>>>(sorted, count);
  check(cudaDeviceSynchronize());
  cudaStream_t other{};
  check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  sort_tiles<<<count, threads>>>(cells_on_device, counts, sorted);
  wait_for_tiles<<<1, threads, 0, other>>>(sorted, cells_on_device, count, out_of_order);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  unsigned wrong = 0;
  check(cudaMemcpy(&wrong, out_of_order, sizeof wrong, cudaMemcpyDeviceToHost));

  std::printf("%zu tiles, %u tables: %u tiles are out of order\n", tiles, tables, wrong);
  std::puts(wrong == 0 ? "PASS" : "FAIL");
  return wrong == 0 ? 0 : 1;
}
